import { Module } from '@nestjs/common';
import { ErasureModule } from '../../governance/erasure/erasure.module.js';
import { FactSearchModule } from '../../memory/facts/fact-search/fact-search.module.js';
import { SystemModule } from '../system/system.module.js';
import { AdminController } from './admin.controller.js';
import { AdminService } from './admin.service.js';
import { AdminStore } from './admin.store.js';
import { UpkeepService } from './upkeep.service.js';

/**
 * What an operator asks of the daemon: its version, a restart, sealing, compaction of facts (memory-daemon.md 4.11,
 * 4.12; D71).
 */
@Module({
  imports: [ErasureModule, FactSearchModule, SystemModule],
  controllers: [AdminController],
  providers: [AdminService, AdminStore, UpkeepService],
})
export class AdminModule {}
