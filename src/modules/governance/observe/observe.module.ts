import { Module } from '@nestjs/common';
import { ConformanceService } from './conformance.service.js';
import { ObserveArchiveSweep } from './observe-archive.sweep.js';
import { ObserveAuditService } from './observe-audit.service.js';
import { ObserveExportService } from './observe-export.service.js';
import { ObserveStepsService } from './observe-steps.service.js';
import { ObserveController } from './observe.controller.js';
import { ObserveStore } from './observe.store.js';
import { ScreeningModule } from '../../../common/screening/screening.module.js';
import { StepCapture } from './step-capture.service.js';
import { StepReceipts } from './step-receipts.service.js';

/**
 * What an agent's session did, step by step, each with its receipt: opened and closed by the agent, or made of what the
 * session does; checked by named rules, and exported (memory-daemon.md 2.3 and 4.8; D53).
 */
@Module({
  imports: [ScreeningModule],
  controllers: [ObserveController],
  providers: [
    ConformanceService,
    ObserveArchiveSweep,
    ObserveAuditService,
    ObserveExportService,
    ObserveStepsService,
    ObserveStore,
    StepCapture,
    StepReceipts,
  ],
  exports: [ObserveStepsService],
})
export class ObserveModule {}
