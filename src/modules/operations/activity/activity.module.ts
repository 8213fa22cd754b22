import { Module } from '@nestjs/common';
import { EventReadingModule } from '../../events/outbox/feed/event-reading.module.js';
import { LiveModule } from '../live/live.module.js';
import { ActivityController } from './activity.controller.js';
import { ActivityService } from './activity.service.js';

/** What happened in a tenant, whoever did it, as one feed over the outbox (memory-daemon.md 4.11, 4.12; D71). */
@Module({
  imports: [EventReadingModule, LiveModule],
  controllers: [ActivityController],
  providers: [ActivityService],
})
export class ActivityModule {}
