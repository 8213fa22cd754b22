import { Module } from '@nestjs/common';
import { EventReadingModule } from '../../events/outbox/feed/event-reading.module.js';
import { LiveModule } from '../../operations/live/live.module.js';
import { StatusFeedController } from './status-feed.controller.js';
import { StatusFeedService } from './status-feed.service.js';

/**
 * What happens to work, gates, leases, punchcards, intents and orchestrators, for boards and people (memory-daemon.md
 * 4.9; D62).
 */
@Module({
  imports: [EventReadingModule, LiveModule],
  controllers: [StatusFeedController],
  providers: [StatusFeedService],
})
export class StatusFeedModule {}
