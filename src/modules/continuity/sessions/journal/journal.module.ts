import { Module } from '@nestjs/common';
import { HomesStore } from './homes.store.js';
import { JournalService } from './journal.service.js';
import { JournalStore } from './journal.store.js';

/**
 * The journals of agents, without the routes that show them: modules that write entries about an agent import only this
 * module, and the continuity module may in turn read from them.
 */
@Module({
  providers: [HomesStore, JournalService, JournalStore],
  exports: [HomesStore, JournalService],
})
export class JournalModule {}
