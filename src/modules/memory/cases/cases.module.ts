import { Module } from '@nestjs/common';
import { ScreeningModule } from '../../../common/screening/screening.module.js';
import { MemoryVectorsModule } from '../vectors/memory-vectors.module.js';
import { CaseQuarantineService } from './case-quarantine.service.js';
import { CasesController } from './cases.controller.js';
import { CasesService } from './cases.service.js';
import { CasesStore } from './cases.store.js';

/** Cases (memory-daemon.md 4.6; D44): what was done for a task and how it went, and its retrieval for the next one. */
@Module({
  imports: [ScreeningModule, MemoryVectorsModule],
  controllers: [CasesController],
  providers: [CasesService, CaseQuarantineService, CasesStore],
  exports: [CasesService, CaseQuarantineService],
})
export class CasesModule {}
