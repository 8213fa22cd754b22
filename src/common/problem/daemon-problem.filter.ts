import { Catch, Inject } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SETTINGS, type Settings } from '../config/settings.js';
import { LOG, type Log } from '../observability/log.js';
import type { PayloadTooLarge } from './common-problems.js';
import { ProblemFilter } from './problem.filter.js';
import type { ProblemWriter } from './send-problem.js';
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
