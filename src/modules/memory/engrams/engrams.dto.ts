import {
  Choice,
  DateTime,
  Flag,
  Integer,
  ListOf,
  Nested,
  Text,
  TextList,
  Uuid,
} from '../../../common/fields/fields.js';
import { NextCursor, PageQuery } from '../../../common/fields/page.dto.js';
import { ENGRAM_NAME } from './engram-payload.rules.js';
import { CAPABILITY_CLASSES, GENERATED_CLASSES, type CapabilityClass, type GeneratedClass } from './engrams.types.js';

const SOURCES = ['entity', 'file'] as const;
const LABEL = /^[a-z][a-z0-9._-]{0,62}$/;

export const LabelField = (about: string, more: { optional?: true } = {}) =>
  Text({ about, max: 63, pattern: LABEL, example: 'production', ...more });

export class EngramsQuery extends PageQuery {
  @Text({ about: 'Only engrams of this intent bucket.', optional: true, min: 1, max: 64 })
  intent_bucket?: string;

  @Text({
    about:
      'What is looked for, in words: by name, description and content, and by meaning where there are vectors. Best first, on one page.',
    optional: true,
    min: 1,
    max: 2_000,
  })
  query?: string;
}

export class EngramPath {
  @Text({ about: 'The name of the engram.', max: 64, pattern: ENGRAM_NAME, example: 'code-review' })
  name!: string;
}

export class EngramLabelPath extends EngramPath {
  @LabelField('The label: a to z, 0 to 9, and . _ - after the first. latest is always the newest version.')
  label!: string;
}

/** An engram but for its content. */
export class EngramRecord {
  @Text({ about: 'Of the entity that it is, as legal holds and erasures name it: `engram:<name>`.' })
  id!: string;

  @Text({ about: 'Its name.' })
  name!: string;

  @Integer({ about: 'Its version: one more with every PUT. Of a file what its metadata say, else 1.', min: 1 })
  version!: number;

  @Text({ about: 'When to use it, in a sentence or two.' })
  description!: string;

  @Flag({ about: 'Whether it is given out.' })
  enabled!: boolean;

  @Text({ about: 'What it is for, as its author sorts them.', nullable: true })
  intent_bucket!: string | null;

  @Text({
    about: 'Tasks that it applies to: words with * for any characters, alternatives parted by |.',
    nullable: true,
  })
  query_pattern!: string | null;

  @Choice({ about: 'Only for models of this class or above.', values: CAPABILITY_CLASSES, nullable: true })
  capability_class_min!: CapabilityClass | null;

  @Choice({ about: 'Only for models of this class or below.', values: CAPABILITY_CLASSES, nullable: true })
  capability_class_max!: CapabilityClass | null;

  @Choice({ about: 'Written, made from other content, or taken over.', values: GENERATED_CLASSES })
  generated_class!: GeneratedClass;

  @Text({ about: 'Of an inherited one, from where and why.', nullable: true })
  inherited_reason!: string | null;

  @Text({ about: 'Digest of the policy that it was made under.', nullable: true })
  policy_hash!: string | null;

  @Text({ about: 'Digest of the prompt that it was made with.', nullable: true })
  prompt_hash!: string | null;

  @TextList({ about: 'Digests of what it was made from.' })
  source_chunk_hashes!: string[];

  @Text({ about: 'BLAKE3 of the JCS array of those, sorted; null without any.', nullable: true })
  source_chunk_set_hash!: string | null;

  @Text({ about: 'BLAKE3-256 of the content in UTF-8.' })
  hash!: string;

  @Choice({ about: 'An entity of the tenant, or a file of the server.', values: SOURCES })
  source!: (typeof SOURCES)[number];

  @Integer({ about: 'When this version was stored.', min: 0 })
  created_at_unix_ms!: number;

  @Text({ about: 'Who stored it.' })
  created_by!: string;
}

export class EngramWithContent extends EngramRecord {
  @Text({ about: 'The instructions.' })
  content!: string;
}

export class EngramList {
  @ListOf({ about: 'The engrams, by name; with `query` the best first.', type: () => EngramRecord })
  engrams!: EngramRecord[];

  @Integer({
    about: 'How many there are of the intent bucket, on all pages; with `query` how many were found.',
    min: 0,
  })
  total!: number;

  @Text({ about: '`svc.engrams/1`.' })
  schema!: string;

  @Flag({ about: 'Whether another page follows.' })
  has_more!: boolean;

  @NextCursor()
  next_cursor!: string | null;
}

export class EngramLabel {
  @Text({ about: 'The label.' })
  label!: string;

  @Integer({ about: 'The version of the engram that it points at.', min: 1 })
  engram_version!: number;

  @Integer({ about: 'Counts its moves.', min: 1 })
  version!: number;

  @Text({ about: 'Who set it first.' })
  created_by!: string;

  @DateTime({ about: 'When it was set first.' })
  created_at!: string;

  @Text({ about: 'Who moved it last.' })
  moved_by!: string;

  @DateTime({ about: 'When it was moved last.' })
  moved_at!: string;

  @Uuid({ about: 'The signed receipt of the last move.' })
  receipt_id!: string;
}

export class EngramReply {
  @Nested({ about: 'The engram in its current version.', type: () => EngramWithContent })
  engram!: EngramWithContent;

  @ListOf({ about: 'Its labels, by name.', type: () => EngramLabel })
  labels!: EngramLabel[];

  @Text({ about: '`svc.engram/1`.' })
  schema!: string;
}

export class EngramVersions {
  @ListOf({ about: 'The versions, newest first.', type: () => EngramWithContent })
  versions!: EngramWithContent[];

  @Text({ about: '`svc.engram-versions/1`.' })
  schema!: string;

  @Flag({ about: 'Whether another page follows.' })
  has_more!: boolean;

  @NextCursor()
  next_cursor!: string | null;
}

export class MoveLabel {
  @Integer({ about: 'The version of the engram to point at.', min: 1, max: 2 ** 31 - 1 })
  version!: number;

  @Integer({
    about: 'The version of the label that the move is meant for, 0 where there is none: 409 when there is a later one.',
    optional: true,
    min: 0,
    max: 2 ** 31 - 1,
  })
  base_version?: number;
}

export class EngramLabelReply {
  @Text({ about: 'The engram.' })
  name!: string;

  @Nested({ about: 'The label as it is now; of a removed one as it was.', type: () => EngramLabel })
  label!: EngramLabel;

  @Flag({ about: 'Whether it was removed.' })
  removed!: boolean;

  @Text({ about: '`svc.engram-label/1`.' })
  schema!: string;
}
