import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../../common/config/settings.js';
import { Jobs } from '../../../../common/jobs/jobs.js';
import { EventSinksService } from '../../../events/outbox/publisher/event-sinks.service.js';
import type { EvaluationTask } from '../watches.types.js';
import { EvaluationService } from './evaluation.service.js';
import { WatchSink } from './watch-sink.js';

/** Looks of a process at once, and of them those of one tenant. */
const AT_ONCE = { localConcurrency: 2, localGroupConcurrency: 1 };

/** Hears of events and has watches looked at, where the feature is on: while it is off events wait for it. */
@Injectable()
export class WatchWorker implements OnModuleInit {
  constructor(
    private readonly jobs: Jobs,
    private readonly sinks: EventSinksService,
    private readonly evaluation: EvaluationService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async onModuleInit(): Promise<void> {
    if (!this.settings.features.watches) return;
    this.sinks.register(new WatchSink(this.jobs));
    await this.jobs.work<EvaluationTask>('watches.evaluate', { batchSize: 1, ...AT_ONCE }, async ([job]) => {
      if (job) await this.evaluation.evaluate(job.data);
    });
  }
}
