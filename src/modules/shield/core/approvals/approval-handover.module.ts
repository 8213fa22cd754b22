import { Module } from '@nestjs/common';
import { ApprovalHandoverService } from './approval-handover.service.js';
import { ApprovalHandoverStore } from './approval-handover.store.js';

/** Approvals handed to the one who asked for them, by a process that is not the API. */
@Module({
  providers: [ApprovalHandoverService, ApprovalHandoverStore],
  exports: [ApprovalHandoverService],
})
export class ApprovalHandoverModule {}
