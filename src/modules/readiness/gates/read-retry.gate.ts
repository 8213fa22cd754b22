import { Injectable } from '@nestjs/common';
import { ReadRetries } from '../../../daemon/reads/read-retries.js';
import { fails, passes, type Gate, type GateFinding } from '../readiness.types.js';

/** Whether the database fails reads more often than now and then. */
@Injectable()
export class ReadRetryGate implements Gate {
  readonly name = 'read_retry_failed_threshold';

  constructor(private readonly retries: ReadRetries) {}

  async find(): Promise<GateFinding> {
    const { tooMany, count, threshold, windowMs } = this.retries.ofLate();
    const span = `within ${windowMs / 1000} s`;
    if (!tooMany) return passes(`${count} reads had to be tried again ${span}`);
    return fails(
      `more than ${threshold} reads (SVCD_READ_RETRY_THRESHOLD) had to be tried again ${span}: the database ends connections or refuses transactions; see its log`,
    );
  }
}
