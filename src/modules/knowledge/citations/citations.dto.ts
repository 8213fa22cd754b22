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
import { PassageLocation } from '../ingest/extraction/passage-location.dto.js';

export class CitationItem {
  @Text({ about: 'The passage cited: a chunkId of a retrieval.', min: 1, max: 512, isOfAnswer: true })
  chunkId!: string;

  @Text({
    about:
      'The words cited, exactly as they stand in the passage. With start and end it must be what stands there; alone, its first occurrence counts.',
    optional: true,
    min: 1,
    max: 100_000,
  })
  quote?: string;

  @Integer({ about: 'Where the cited words begin in the passage, in UTF-16 code units.', optional: true, min: 0 })
  start?: number;

  @Integer({ about: 'Where they end, exclusive. Needed with start.', optional: true, min: 1 })
  end?: number;

  @Text({ about: "The agent's own remark, kept with the citation.", optional: true, min: 1, max: 2000 })
  note?: string;
}

export class CitationRecordingBody {
  @TenantMember()
  tenantId?: string;

  @Text({ about: 'The agent that answered.', min: 1, max: MAX_AGENT_ID, example: 'default-agent' })
  agentId!: string;

  @Text({ about: "The answer's id, of the agent's choosing.", min: 1, max: 512, example: 'answer-2026-11-20-1' })
  answerId!: string;

  @IdempotencyKeyMember()
  idempotencyKey!: string;

  @ListOf({ about: 'What the answer rests on, in its order.', type: () => CitationItem, min: 1, max: 500 })
  citations!: CitationItem[];

  @Text({
    about: 'The answer itself. Kept, and its digest goes into the receipt.',
    optional: true,
    min: 1,
    max: 1_000_000,
  })
  answerText?: string;

  @FreeObject({ about: "The caller's own members, kept with the answer.", optional: true })
  metadata?: Record<string, unknown>;
}

export class RecordedCitation {
  @Text({ about: 'The passage.' })
  chunkId!: string;

  @Text({ about: 'Corpus of its document.' })
  corpusId!: string;

  @Text({ about: 'Its document.' })
  docId!: string;

  @Integer({ about: 'Version of the document that the passage is of.', min: 1 })
  docVersion!: number;

  @Text({ about: "Digest of the passage's text, `blake3:<hex>`." })
  contentHash!: string;

  @Choice({ about: "Whose passage: the tenant's own, or one shared with it.", values: ['tenant', 'commons'] })
  source!: 'tenant' | 'commons';

  @Flag({ about: "Whether the document's newest version still holds the passage." })
  current!: boolean;

  @Nested({
    about: 'Where in its file it stands; only of a document that came as a file which has such places.',
    type: () => PassageLocation,
    optional: true,
  })
  location?: PassageLocation;

  @Integer({
    about: 'Where the cited words begin, in UTF-16 code units; null when the whole passage is cited.',
    nullable: true,
  })
  start!: number | null;

  @Integer({ about: 'Where they end, exclusive.', nullable: true })
  end!: number | null;

  @Text({ about: 'The cited words.', nullable: true })
  quote!: string | null;

  @Text({ about: "The agent's remark.", nullable: true })
  note!: string | null;
}

export class CitationAcknowledgement {
  @Text({ about: 'The answer.' })
  answerId!: string;

  @Integer({ about: 'Version of the answer: 1, and one more for every further recording.', min: 1 })
  version!: number;

  @Text({ about: 'The agent that answered.' })
  agentId!: string;

  @DateTime({ about: 'When it was recorded.' })
  recordedAt!: string;

  @Uuid({ about: 'The signed execution receipt `answer.recorded`.' })
  receiptId!: string;

  @Text({ about: 'Digest of answerText, `blake3:<hex>`; null when none was sent.', nullable: true })
  answerHash!: string | null;

  @Text({
    about:
      "The retrieval the answer rests on: the agent's last one, where a cited passage is among its results; else null. A verified proof ranks its query again.",
    nullable: true,
  })
  retrievalId!: string | null;

  @Integer({ about: 'How many citations were recorded.', min: 1 })
  citationCount!: number;

  @ListOf({ about: 'The citations as they were resolved, in their order.', type: () => RecordedCitation })
  citations!: RecordedCitation[];
}
