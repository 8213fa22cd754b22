import {
  Choice,
  DateTime,
  Flag,
  FreeObject,
  Integer,
  ListOf,
  Nested,
  Text,
  Uuid,
} from '../../../common/fields/fields.js';
import { IdempotencyKeyMember, MAX_AGENT_ID, TenantMember } from '../../../common/fields/shared-members.js';
import { Watch } from '../../continuity/watches/watches.dto.js';
import { CitationAcknowledgement, CitationItem, RecordedCitation } from '../citations/citations.dto.js';
import { SOURCE_STATES, type SourceState } from '../citations/source-states.types.js';
import { ProofJobRecord } from '../proofs/proofs.dto.js';
import { PROOF_MODES, type ProofMode } from '../proofs/proofs.types.js';

export class RecordedAnswerPath {
  @Text({ about: 'The answer.', min: 1, max: 512 })
  answerId!: string;
}

export class AnswerRecordingBody {
  @TenantMember()
  tenantId?: string;

  @Text({ about: 'The agent that answered.', min: 1, max: MAX_AGENT_ID, default: 'default-agent' })
  agentId!: string;

  @Text({
    about:
      "The answer's id, of the agent's choosing; one that is known gets a new version. Made up where it is absent.",
    optional: true,
    min: 1,
    max: 512,
  })
  answerId?: string;

  @IdempotencyKeyMember({ optional: true })
  idempotencyKey?: string;

  @Text({ about: 'The answer itself. Kept, and its digest goes into the receipt.', min: 1, max: 1_000_000 })
  answerText!: string;

  @ListOf({ about: 'What the answer rests on, in its order.', type: () => CitationItem, min: 1, max: 500 })
  citations!: CitationItem[];

  @Choice({
    about: 'Proves the answer as well, in this mode, at its price: see POST /v1/proof/jobs.',
    values: PROOF_MODES,
    optional: true,
  })
  prove?: ProofMode;

  @Flag({ about: 'Watches the answer as well: see POST /v1/watches.', default: false })
  watch!: boolean;

  @FreeObject({ about: "The caller's own members, kept with the answer.", optional: true })
  metadata?: Record<string, unknown>;
}

export class AnswerRecorded extends CitationAcknowledgement {
  @Nested({
    about: 'The job that proves it, as it was ordered; null without prove.',
    nullable: true,
    type: () => ProofJobRecord,
  })
  proof!: ProofJobRecord | null;

  @Nested({
    about: "The caller's watch on it for this agent, of before or made now; null without watch.",
    nullable: true,
    type: () => Watch,
  })
  watch!: Watch | null;
}

export class CitationNow extends RecordedCitation {
  @Text({ about: 'Title of the document, as it was cited.', nullable: true })
  title!: string | null;

  @Text({ about: 'Address of the document, as it was cited.', nullable: true })
  url!: string | null;

  @Choice({
    about:
      'holds: the text stands in the newest version of its document. unknown: its stored text is not what was indexed. drifted: the document has a version without it. unavailable: the document is deleted, or cannot be seen any more.',
    values: SOURCE_STATES,
  })
  state!: SourceState;
}

export class AnswerNow {
  @Text({ about: 'The answer.' })
  answerId!: string;

  @Integer({ about: 'Its newest version, which this is.', min: 1 })
  version!: number;

  @Text({ about: 'The agent that answered.' })
  agentId!: string;

  @Text({ about: 'Its text; null where none was sent.', nullable: true })
  answerText!: string | null;

  @FreeObject({ about: "The caller's own members; null where none were sent.", nullable: true })
  metadata!: Record<string, unknown> | null;

  @DateTime({ about: 'When this version was recorded.' })
  recordedAt!: string;

  @Uuid({ about: 'The signed execution receipt `answer.recorded`.' })
  receiptId!: string;

  @Text({ about: 'The retrieval that it rests on; null where none is recorded with it.', nullable: true })
  retrievalId!: string | null;

  @Choice({ about: 'The worst state of its citations.', values: SOURCE_STATES })
  state!: SourceState;

  @ListOf({ about: 'What it rests on, in its order.', type: () => CitationNow })
  citations!: CitationNow[];

  @ListOf({
    about: 'Watches on it that watch, at most 50. None where watches are not open to the tenant.',
    type: () => Watch,
  })
  watches!: Watch[];

  @Nested({
    about: 'Its newest proof, of whatever version; null where there is none on this server.',
    nullable: true,
    type: () => ProofJobRecord,
  })
  proof!: ProofJobRecord | null;
}
