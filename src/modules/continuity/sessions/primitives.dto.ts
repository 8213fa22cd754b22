import { Choice, DateTime, Flag, FreeObject, Integer, ListOf, Nested, Text } from '../../../common/fields/fields.js';
import { PageQuery } from '../../../common/fields/page.dto.js';
import { MAX_AGENT_ID, TenantMember } from '../../../common/fields/shared-members.js';
import { PRIMITIVE_KINDS, type PrimitiveKind } from './journal/journal.types.js';

const MAX_TEXT = 8000;
const MAX_PINS = 50;
const MAX_VERSION = 2_147_483_647;

export class HomePath {
  @Text({ about: 'The agent, by the name it goes by in retrieval; percent-encoded.', min: 1, max: MAX_AGENT_ID })
  agentId!: string;
}

export class PrimitiveContentSent {
  @Text({ about: 'In words, as it is to stand in a prompt.', optional: true, min: 1, max: MAX_TEXT })
  text?: string;

  @FreeObject({ about: 'As JSON, at most 16 KiB, for programs.', optional: true, example: { unit: 'metric' } })
  data?: Record<string, unknown>;
}

export class PinSent {
  @Text({
    about: 'The passage to pin: a chunkId of a retrieval. Either this or answerId.',
    optional: true,
    min: 1,
    max: 512,
  })
  chunkId?: string;

  @Text({ about: 'The answer to pin, at its newest version, with all it cites.', optional: true, min: 1, max: 512 })
  answerId?: string;

  @Text({ about: 'Why it is pinned.', optional: true, min: 1, max: 500 })
  note?: string;
}

export class PrimitiveSent {
  @TenantMember()
  tenantId?: string;

  @Choice({ about: 'What it is to the agent.', values: PRIMITIVE_KINDS })
  kind!: PrimitiveKind;

  @Text({ about: 'Its name, one of its kind for the agent.', min: 1, max: 200, example: 'answer-language' })
  name!: string;

  @Nested({
    about: 'What it says: text, data or both. Needed unless retired is true, which keeps what it said.',
    optional: true,
    type: () => PrimitiveContentSent,
    example: { data: { unit: 'metric' } },
  })
  content?: PrimitiveContentSent;

  @Integer({
    about: 'The version this replaces, as it was read. Absent or 0: there must be none yet, a retired one included.',
    optional: true,
    min: 0,
    max: MAX_VERSION,
  })
  expectedVersion?: number;

  @ListOf({
    about:
      'What it rests on. Absent keeps the pins of the version before; [] removes them. A passage that was pinned before stays pinned as it was then; an answer is pinned again.',
    optional: true,
    type: () => PinSent,
    max: MAX_PINS,
  })
  pins?: PinSent[];

  @Flag({
    about: 'Retire it: it is kept with its history and leaves the list. Replacing a retired one revives it.',
    optional: true,
  })
  retired?: boolean;

  @Text({ about: 'Why it changes; kept in the history and the journal.', optional: true, min: 1, max: 2000 })
  reason?: string;
}

export class PrimitiveContent {
  @Text({ about: 'In words.', nullable: true })
  text!: string | null;

  @FreeObject({ about: 'As JSON.', nullable: true })
  data!: Record<string, unknown> | null;
}

export class PrimitivePin {
  @Text({ about: 'The pinned passage; null where an answer is pinned.', nullable: true })
  chunkId!: string | null;

  @Text({ about: 'Corpus of the passage.', nullable: true })
  corpusId!: string | null;

  @Text({ about: 'Document of the passage.', nullable: true })
  docId!: string | null;

  @Integer({ about: 'Version of the document when it was pinned.', nullable: true })
  docVersion!: number | null;

  @Text({ about: "Digest of the passage's text, `blake3:<hex>`.", nullable: true })
  contentHash!: string | null;

  @Choice({
    about: "Whose passage: the tenant's own, or one shared with it.",
    values: ['tenant', 'commons'],
    nullable: true,
  })
  source!: 'tenant' | 'commons' | null;

  @Text({ about: 'The pinned answer; null where a passage is pinned.', nullable: true })
  answerId!: string | null;

  @Integer({ about: 'Version of the answer when it was pinned.', nullable: true })
  answerVersion!: number | null;

  @Text({ about: 'Why it is pinned.', nullable: true })
  note!: string | null;

  @DateTime({ about: 'When it was pinned.' })
  pinnedAt!: string;
}

export class PrimitiveRecord {
  @Text({ about: 'The agent.' })
  agentId!: string;

  @Choice({ about: 'What it is to the agent.', values: PRIMITIVE_KINDS })
  kind!: PrimitiveKind;

  @Text({ about: 'Its name.' })
  name!: string;

  @Integer({
    about: 'The version shown: 1, and one more for every change. Send it as expectedVersion to replace it.',
    min: 1,
  })
  version!: number;

  @Nested({ about: 'What it says.', type: () => PrimitiveContent })
  content!: PrimitiveContent;

  @ListOf({ about: 'What it rests on, in its order.', type: () => PrimitivePin })
  pins!: PrimitivePin[];

  @Flag({ about: 'Whether it was retired by this version.' })
  retired!: boolean;

  @Text({ about: 'Who made its first version: `key:`, `seat:` or `agent:` and an id.' })
  createdBy!: string;

  @DateTime({ about: 'When its first version was made.' })
  createdAt!: string;

  @Text({ about: 'Who made the version shown.' })
  updatedBy!: string;

  @DateTime({ about: 'When the version shown was made.' })
  updatedAt!: string;

  @Text({ about: 'Why.', nullable: true })
  reason!: string | null;
}

export class PrimitiveList {
  @ListOf({ about: 'By kind, then name; with history, newest version first.', type: () => PrimitiveRecord })
  primitives!: PrimitiveRecord[];

  @Text({ about: 'Where the next page starts; null on the last.', nullable: true })
  next_cursor!: string | null;
}

export class PrimitiveQuery extends PageQuery {
  @Choice({ about: 'Only this kind.', values: PRIMITIVE_KINDS, optional: true })
  kind?: PrimitiveKind;

  @Text({ about: 'Only this name.', optional: true, min: 1, max: 200 })
  name?: string;

  @Flag({ about: 'Whether retired ones are shown too.', default: false })
  includeRetired!: boolean;

  @Flag({ about: 'Every version of the one named by name, instead of the newest alone.', default: false })
  history!: boolean;
}
