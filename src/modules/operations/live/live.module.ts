import { Module } from '@nestjs/common';
import { EventReadingModule } from '../../events/outbox/feed/event-reading.module.js';
import { LiveController } from './live.controller.js';
import { LiveService } from './live.service.js';

/** What happens in a tenant, as it happens: the event stream of the daemon (memory-daemon.md 6). */
@Module({
  imports: [EventReadingModule],
  controllers: [LiveController],
  providers: [LiveService],
  exports: [LiveService],
})
export class LiveModule {}
