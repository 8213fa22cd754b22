import {
  Choice,
  DateTime,
  Decimal,
  ExtraMembersAllowed,
  Flag,
  FreeObject,
  Integer,
  ListOf,
  Nested,
  Text,
} from '../../../common/fields/fields.js';
import { IdempotencyKeyMember, TenantMember } from '../../../common/fields/shared-members.js';
import {
  JOB_STATUSES,
  PROOF_CONTRACT,
  PROOF_MODES,
  SUBJECT_TYPES,
  VERDICTS,
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
    max: 120,
    default: 'default-agent',
  })
  agentId!: string;

  @Choice({
    about:
      'How much is checked. light: every passage exists, matches its digest, is current and visible to the tenant. verified: also ranks the recorded query again. ' +
      'audit: also proves the receipts in the transparency log and checks the candidate ledger.',
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
    about: 'What to prove: an answerId, a chunkId, or a document as corpusId/docId; the first of them that exists.',
    optional: true,
    min: 1,
    max: 1100,
  })
  artefact_id?: string;

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
    about: 'exists, visible, hash, current; verified adds ranking; audit adds ledger and log.',
    example: 'hash',
  })
  name!: string;

  @Flag({ about: 'Whether it holds.' })
  ok!: boolean;

  @Text({ about: 'What was found, in words.' })
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
      'holds: every check holds. drifted: everything is intact, but the source has changed since (a passage is no longer current, or ranks elsewhere). ' +
      'broken: something is missing, invisible or altered. pending until the job ends; a failed job stays pending.',
    values: VERDICTS,
  })
  verdict!: Verdict;

  @Choice({ about: 'How much is checked.', values: PROOF_MODES })
  mode!: ProofMode;

  @Text({ about: 'The agent.' })
  agentId!: string;

  @Nested({ about: 'What is proven, found when the job was made.', type: () => ProofSubject })
  subject!: ProofSubject;

  @ListOf({ about: 'Each check over all passages; empty until the job ends.', type: () => ProofCheck })
  checks!: ProofCheck[];

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

export class ProofChunk {
  @Text({ about: 'The passage.' })
  chunkId!: string;

  @Text({ about: 'Corpus of its document.' })
  corpusId!: string;

  @Text({ about: 'Its document.' })
  docId!: string;

  @Integer({ about: 'Version of the document that the passage is of.', min: 1 })
  docVersion!: number;

  @Choice({ about: "The tenant's own, or shared with it.", values: ['tenant', 'commons'] })
  source!: 'tenant' | 'commons';

  @Text({ about: 'Title of the document.', nullable: true })
  title!: string | null;

  @Text({ about: 'Address of the document.', nullable: true })
  url!: string | null;

  @Text({ about: 'Digest of the text as it was cited or found, `blake3:<hex>`.' })
  contentHash!: string;

  @Text({ about: 'The text; null where the tenant may no longer see it.', nullable: true })
  content!: string | null;

  @Text({ about: 'The words that were cited; null for a whole passage.', nullable: true })
  quote!: string | null;

  @Integer({ about: 'Place in the recorded ranking, from 1; null where there is none.', nullable: true, min: 1 })
  recordedRank!: number | null;

  @Integer({
    about: 'Place in the ranking made again; null where it was not, or the passage is not in it.',
    nullable: true,
    min: 1,
  })
  rank!: number | null;

  @Decimal({ about: 'Score in the ranking made again.', nullable: true })
  score!: number | null;

  @ListOf({ about: 'The checks of this passage.', type: () => ProofCheck })
  checks!: ProofCheck[];
}

export class ProofChunkPage extends ProofEnvelope {
  @Text({ about: 'The job.' })
  jobId!: string;

  @Choice({ about: 'Where the job is; the list is empty until it ends.', values: JOB_STATUSES })
  status!: JobStatus;

  @ListOf({ about: 'The passages in the order of the answer, document or ranking.', type: () => ProofChunk })
  chunks!: ProofChunk[];

  @Text({ about: 'For the next page; null on the last one.', nullable: true })
  next_cursor!: string | null;
}
