import {
  Choice,
  Decimal,
  Flag,
  Integer,
  ListOf,
  Nested,
  Text,
  TextList,
  DateTime,
} from '../../../common/fields/fields.js';
import { CONTEXT_KINDS, OMISSIONS, type ContextKind, type Omission } from './context.types.js';

export class ContextRequest {
  @Text({ about: 'What the context is for.', min: 1, max: 8192, example: 'Deploy the shop to production' })
  task!: string;

  @Text({ about: 'A project: its layers, and open work of it alone.', optional: true, min: 1, max: 128 })
  project_id?: string;

  @Text({
    about: 'A session: facts of the entity `session:<id>` and your own layers of it are looked at too.',
    optional: true,
    min: 1,
    max: 200,
  })
  session_id?: string;

  @Integer({ about: 'Tokens of all items together at most.', min: 1, max: 1_000_000, default: 4000 })
  token_budget!: number;

  @TextList({
    about: `Which kinds to look for: ${CONTEXT_KINDS.join(', ')}. Absent: all of them.`,
    optional: true,
    max: 20,
    minItems: 1,
    maxItems: CONTEXT_KINDS.length,
  })
  include?: string[];

  @Flag({
    about: 'Also the digest and score of each item, and each item that was left out instead of their numbers.',
    default: false,
  })
  details!: boolean;
}

export class ContextSpan {
  @Integer({ about: 'Where it begins in the passage, in UTF-16 code units.', min: 0 })
  start!: number;

  @Integer({ about: 'Where it ends, exclusive.', min: 1 })
  end!: number;
}

export class ContextCitation {
  @Text({ about: 'The corpus of the document.' })
  corpus_id!: string;

  @Text({ about: 'The document.' })
  doc_id!: string;

  @Text({ about: 'The title of the document, where it has one.', optional: true })
  title?: string;

  @Text({ about: 'Where the document can be read, where that is known.', optional: true })
  url?: string;

  @ListOf({
    about: 'Which parts of the passage the text has, in their order; absent where it has the whole.',
    type: () => ContextSpan,
    optional: true,
  })
  spans?: ContextSpan[];

  @Integer({ about: 'The version of the document; with details.', optional: true })
  doc_version?: number;
}

export class ContextItem {
  @Choice({ about: 'What it is.', values: CONTEXT_KINDS })
  kind!: ContextKind;

  @Text({ about: 'Its id within its kind; of a passage the chunkId that a citation names.' })
  id!: string;

  @Text({
    about: 'The item, whole; of a passage the lines and sentences that fit, with … where others are left out.',
  })
  text!: string;

  @Integer({ about: 'Tokens of the text (o200k_base).' })
  tokens!: number;

  @Text({ about: 'Why it is here.' })
  why!: string;

  @Text({
    about:
      'The digest of it in this version: of a fact and of work that of its text, of a passage that of the whole passage. With details.',
    optional: true,
  })
  hash?: string;

  @Decimal({ about: 'How well it fits, comparable within its kind alone. With details.', optional: true })
  score?: number;

  @Nested({ about: 'Of a passage: where it stands.', type: () => ContextCitation, optional: true })
  citation?: ContextCitation;
}

export class ContextOmission {
  @Choice({ about: 'What it is.', values: CONTEXT_KINDS })
  kind!: ContextKind;

  @Text({ about: 'Its id; absent where a whole kind or several are meant.', optional: true })
  id?: string;

  @Integer({ about: 'How many, where several are meant.', optional: true })
  count?: number;

  @Integer({ about: 'Tokens that it would have taken.', optional: true })
  tokens?: number;

  @Choice({ about: 'Why it is not in the context.', values: OMISSIONS })
  reason!: Omission;

  @Text({ about: 'The same in words.' })
  detail!: string;
}

export class AssembledContext {
  @Choice({ about: 'The form of this answer.', values: ['svc.context/1'] })
  schema!: 'svc.context/1';

  @Text({ about: 'What it is for.' })
  task!: string;

  @ListOf({ about: 'The items, in the order in which they were chosen.', type: () => ContextItem })
  items!: ContextItem[];

  @Integer({ about: 'Tokens of all items.' })
  total_tokens!: number;

  @Integer({ about: 'The most they may be.' })
  token_budget!: number;

  @ListOf({
    about:
      'What was found and left out, or not looked for, in numbers by kind and reason; with details one by one, 200 at most.',
    type: () => ContextOmission,
  })
  omitted!: ContextOmission[];

  @Integer({ about: 'How many were left out in all.' })
  omitted_count!: number;

  @Text({
    about: 'BLAKE3 of the request and of kind, id, digest and spans of each item: equal contexts have equal hashes.',
  })
  context_hash!: string;

  @Flag({ about: 'Whether it was kept from an earlier call, since nothing has changed (SVCD_ASSEMBLY_CACHE).' })
  cached!: boolean;

  @DateTime({ about: 'When it was assembled.' })
  assembled_at!: string;
}
