import { Module } from '@nestjs/common';
import { ApprovalRequestsStore } from '../approvals/approval-requests.store.js';
import { DecisionsService } from './decisions.service.js';
import { DecisionsStore } from './decisions.store.js';
import { SpendingStore } from './spending.store.js';

/** What decides on calls, in whichever process. */
@Module({
  providers: [ApprovalRequestsStore, DecisionsService, DecisionsStore, SpendingStore],
  exports: [ApprovalRequestsStore, DecisionsService, DecisionsStore],
})
export class DecisionsModule {}
