import { Catch, Inject } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SETTINGS, type Settings } from '../../common/config/settings.js';
import { LOG, type Log } from '../../common/observability/log.js';
import type { PayloadTooLarge } from '../../common/problem/house-problems.js';
import { ProblemFilter } from '../../common/problem/problem.filter.js';
import type { ProblemWriter } from '../../common/problem/send-problem.js';
import { bodyTooLarge } from './body-too-large.js';
import { daemonProblems } from './daemon-problem-form.js';

/** The one problem writer of the daemon (memory-daemon.md 7). */
@Catch()
export class DaemonProblemFilter extends ProblemFilter {
  protected override readonly form: ProblemWriter;

  constructor(
    @Inject(LOG) log: Log,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    super(log);
    this.form = daemonProblems(settings.daemon.errorsBase);
  }

  protected override tooLarge(request: FastifyRequest): PayloadTooLarge {
    return bodyTooLarge(request, this.settings.daemon.maxBodyBytes);
  }
}
