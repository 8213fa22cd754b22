import { Module } from '@nestjs/common';
import { ApprovalRequestsStore } from '../approvals/approval-requests.store.js';
import { DecisionsService } from './decisions.service.js';
import { DecisionsStore } from './decisions.store.js';
import { PlainDecisionsService } from './plain-decisions.service.js';
import { PlainDecisionsStore } from './plain-decisions.store.js';
import { SpendingStore } from './spending.store.js';

/** What decides on calls, in whichever process. */
@Module({
  providers: [
    ApprovalRequestsStore,
    DecisionsService,
    DecisionsStore,
    PlainDecisionsService,
    PlainDecisionsStore,
    SpendingStore,
  ],
  exports: [ApprovalRequestsStore, DecisionsService, DecisionsStore, PlainDecisionsService],
})
export class DecisionsModule {}
