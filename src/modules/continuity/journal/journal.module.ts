import { Module } from '@nestjs/common';
import { HomesStore } from './homes.store.js';
import { JournalService } from './journal.service.js';
import { JournalStore } from './journal.store.js';

/**
 * The journals of agents, apart from the routes that show them: rooms that have something to tell of an agent import this module alone,
 * and the room continuity may in turn read from them.
 */
@Module({
  providers: [HomesStore, JournalService, JournalStore],
  exports: [HomesStore, JournalService],
})
export class JournalModule {}
