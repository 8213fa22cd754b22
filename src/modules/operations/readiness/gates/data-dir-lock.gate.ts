import { Injectable } from '@nestjs/common';
import { DataDirLock } from '../data-dir-lock.js';
import { CheckFailed } from '../../../../common/health/check.js';
import type { Gate } from '../readiness.types.js';

/** Whether this daemon alone has its data directory. */
@Injectable()
export class DataDirLockGate implements Gate {
  readonly name = 'data_dir_lock_held';

  constructor(private readonly lock: DataDirLock) {}

  async run(): Promise<string> {
    const reason = this.lock.hold();
    if (reason === undefined) return 'held by this process';
    const holder = this.lock.findHolder();
    const who = holder && `process ${holder.pid} on ${holder.host} holds it since ${holder.since}`;
    throw new CheckFailed(
      `the lock on the data directory (daemon.lock) is not held: ${who ?? reason}. Stop the other daemon, or set SVC_DATA_DIR to a directory of this one's own`,
    );
  }
}
