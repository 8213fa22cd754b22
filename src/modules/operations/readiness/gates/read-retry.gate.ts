import { Injectable } from '@nestjs/common';
import { ReadRetries } from '../../../../common/read-retries/read-retries.js';
import { CheckFailed } from '../../../../common/health/check.js';
import type { Gate } from '../readiness.types.js';

/** Whether the database fails reads more often than now and then. */
@Injectable()
export class ReadRetryGate implements Gate {
  readonly name = 'read_retry_failed_threshold';

  constructor(private readonly retries: ReadRetries) {}

  async run(): Promise<string> {
    const { tooMany, count, threshold, windowMs } = this.retries.ofLate();
    const span = `within ${windowMs / 1000} s`;
    if (!tooMany) return `${count} reads had to be tried again ${span}`;
    throw new CheckFailed(
      `more than ${threshold} reads (SVCD_READ_RETRY_THRESHOLD) had to be tried again ${span}: the database ends connections or refuses transactions; see its log`,
    );
  }
}
