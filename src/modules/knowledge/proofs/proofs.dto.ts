import {
  Choice,
  DateTime,
  ExtraMembersAllowed,
  Flag,
  FreeObject,
  Integer,
  ListOf,
  Nested,
  Text,
  TextList,
} from '../../../common/fields/fields.js';
import { IdempotencyKeyMember, MAX_AGENT_ID, TenantMember } from '../../../common/fields/shared-members.js';
import type { DriftCategory } from '../citations/source-states.types.js';
import {
  CHECK_RESULTS,
  JOB_STATUSES,
  PROOF_CONTRACT,
  PROOF_MODES,
  SUBJECT_TYPES,
  VERDICTS,
  type CheckResult,
  type JobStatus,
  type ProofMode,
  type SubjectType,
  type Verdict,
} from './proofs.types.js';

export class ProofJobPath {
  @Text({ about: 'The jobId of the proof job.', min: 1, max: 512 })
  id!: string;
}

/** ProofJobCreateRequest of tenant-api.md 2.8. */
@ExtraMembersAllowed()
export class ProofRequest {
  @TenantMember()
  tenantId?: string;

  @Text({
    about: 'The agent. Its last retrieval is proven when nothing else is named.',
    min: 1,
    max: MAX_AGENT_ID,
    default: 'default-agent',
  })
  agentId!: string;

  @Choice({
    about:
      "How much is checked. light: every passage exists, is visible to the tenant, matches its digest, and stands in its document; what citations quote stands in the answer's text. " +
      'verified: also ranks the recorded query again. audit: also proves the receipts in the transparency log and checks the candidate ledger. ' +
      'A mode that has nothing more to check of the subject is charged as the one before it: see chargedMode.',
    values: PROOF_MODES,
  })
  mode!: ProofMode;

  @Text({
    about: 'The answer to prove, by its answerId. Not together with artefact_id.',
    optional: true,
    min: 1,
    max: 512,
  })
  answerId?: string;

  @Text({
    about:
      'What to prove: an answerId, a chunkId, a retrievalId, or a document as corpusId/docId; the first of them that exists.',
    optional: true,
    min: 1,
    max: 1100,
  })
  artefact_id?: string;

  @Text({
    about:
      'The retrieval to prove, by the retrievalId that one in the lane verified or audit answered. Not together with the other two.',
    optional: true,
    min: 1,
    max: 512,
  })
  retrievalId?: string;

  @IdempotencyKeyMember({ optional: true })
  idempotencyKey?: string;

  @FreeObject({ about: "The caller's own members, kept with the job and shown in it.", optional: true })
  metadata?: Record<string, unknown>;
}

/** What every proof answer but the pack bears. */
export class ProofEnvelope {
  @Flag({ about: 'False when something was found that does not hold, or when the job failed; true otherwise.' })
  ok!: boolean;

  @Text({ about: 'The contract of the proof routes.', example: PROOF_CONTRACT })
  contract!: string;
}

export class ProofSubject {
  @Choice({ about: 'What kind of thing is proven.', values: SUBJECT_TYPES })
  type!: SubjectType;

  @Text({ about: 'Its id: answerId, corpusId/docId, chunkId or retrieval id.' })
  id!: string;

  @Integer({ about: 'Version of the answer or document; null for the others.', nullable: true, min: 1 })
  version!: number | null;
}

export class ProofCheck {
  @Text({
    about: 'exists, visible, hash, current, of answers quotes; verified adds ranking; audit adds ledger and log.',
    example: 'hash',
  })
  name!: string;

  @Flag({ about: 'False when it failed.' })
  ok!: boolean;

  @Choice({
    about:
      'not_applicable: the subject has nothing that could be checked, for the reason in detail; it counts neither way.',
    values: CHECK_RESULTS,
  })
  result!: CheckResult;

  @Text({ about: 'What was found, or why nothing was, in words.' })
  detail!: string;
}

export class ProofLinks {
  @Text({ about: 'The job.' })
  self!: string;

  @Text({ about: 'Its passages.' })
  chunks!: string;

  @Text({ about: 'Its signed receipt, once completed.' })
  receipt!: string;

  @Text({ about: 'The proof pack, once completed; null before.', nullable: true })
  proofpack!: string | null;
}

export class ProofJobRecord extends ProofEnvelope {
  @Text({ about: 'The job.' })
  jobId!: string;

  @Choice({ about: 'Where the job is.', values: JOB_STATUSES })
  status!: JobStatus;

  @Choice({
    about:
      'holds: every cited text stands in the newest version of its document, and the tenant sees it. drifted: a text was changed, or is gone from its document. ' +
      'unavailable: a document is deleted, or no longer shared with the tenant. broken: something recorded is missing or altered, or a citation quotes what the answer does not say. ' +
      'pending until the job ends; a failed job stays pending.',
    values: VERDICTS,
  })
  verdict!: Verdict;

  @Choice({ about: 'How much is checked.', values: PROOF_MODES })
  mode!: ProofMode;

  @Choice({
    about: 'The mode it was charged as: the highest up to `mode` that had something to check of the subject.',
    values: PROOF_MODES,
  })
  chargedMode!: ProofMode;

  @Integer({ about: 'Credits it cost; given back when the job fails.', min: 0 })
  credits!: number;

  @Text({ about: 'The agent.' })
  agentId!: string;

  @Nested({ about: 'What is proven, found when the job was made.', type: () => ProofSubject })
  subject!: ProofSubject;

  @ListOf({ about: 'Each check over all passages; empty until the job ends.', type: () => ProofCheck })
  checks!: ProofCheck[];

  @TextList({
    about:
      'What is different now: source_changed, source_deleted, access_lost; and what is reported and breaks nothing: re_ranked (another place in the search), metadata_changed (another title or address).',
  })
  driftCategories!: DriftCategory[];

  @Integer({ about: 'How many passages are checked; null until known.', nullable: true, min: 0 })
  chunkCount!: number | null;

  @Text({ about: 'The signed execution receipt `proof.completed`; null until then.', nullable: true })
  receiptId!: string | null;

  @Text({ about: 'Why the job failed; null otherwise.', nullable: true })
  error!: string | null;

  @DateTime({ about: 'When the job was made.' })
  createdAt!: string;

  @DateTime({ about: 'When work on it began; null before.', nullable: true })
  startedAt!: string | null;

  @DateTime({ about: 'When it ended; null before.', nullable: true })
  finishedAt!: string | null;

  @FreeObject({ about: "The caller's own members, as sent; null when none were.", nullable: true })
  metadata!: Record<string, unknown> | null;

  @Nested({ about: 'Where to read on.', type: () => ProofLinks })
  links!: ProofLinks;
}
