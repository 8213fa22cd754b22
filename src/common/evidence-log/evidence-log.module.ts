import { Global, Module } from '@nestjs/common';
import { AuditTrail } from './audit-trail.js';
import { AutoSteps } from './auto-steps.js';
import { CheckpointKeeper } from './checkpoint-keeper.js';
import { EarlierCheckpoints } from './earlier-checkpoints.js';
import { EvidenceAudit } from './evidence-audit.js';
import { EvidenceRecords } from './evidence-records.js';
import { EvidenceService } from './evidence.service.js';
import { KeyRing } from './key-ring.js';
import { KnownKeys } from './known-keys.js';
import { LogProofs } from './log-proofs.js';
import { LogSequencer } from './log-sequencer.js';
import { ProofPacks } from './proof-packs.js';
import { ReceiptForms } from './receipt-forms.js';
import { RecordChecks } from './record-checks.js';
import { Witnesses } from './witnesses.service.js';
import { Timestamps } from './timestamps.service.js';
import { ReceiptsStore } from './receipts.store.js';

/**
 * Evidence for every module: signed receipts in a chain per tenant stream, retrieval receipts, one transparency log per
 * database, proof packs. Global, because any module may have to prove what it did; the app imports it.
 */
@Global()
@Module({
  providers: [
    AuditTrail,
    AutoSteps,
    EvidenceService,
    ReceiptsStore,
    KeyRing,
    CheckpointKeeper,
    KnownKeys,
    LogSequencer,
    ProofPacks,
    EvidenceAudit,
    EvidenceRecords,
    RecordChecks,
    LogProofs,
    ReceiptForms,
    EarlierCheckpoints,
    Witnesses,
    Timestamps,
  ],
  exports: [
    AuditTrail,
    AutoSteps,
    EvidenceService,
    KeyRing,
    KnownKeys,
    LogSequencer,
    ProofPacks,
    EvidenceAudit,
    EvidenceRecords,
    RecordChecks,
    LogProofs,
    ReceiptForms,
    EarlierCheckpoints,
  ],
})
export class EvidenceModule {}
