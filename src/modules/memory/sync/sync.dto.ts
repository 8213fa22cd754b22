import { HEX_DIGEST, SHA256_DIGEST } from '../../../evidence/digest-forms.js';
import {
  Choice,
  Documented,
  Flag,
  FreeObject,
  Integer,
  ListOf,
  ListReadLater,
  Nested,
  Text,
  TextList,
} from '../../../common/fields/fields.js';
import { type Collection, COLLECTIONS } from './sync.types.js';

const MAX_RECORDS = 5000;

export class SyncTenantPath {
  @Text({ about: 'The tenant.', min: 1, max: 120, example: 'default' })
  tenantId!: string;
}

export class SyncCollectionPath extends SyncTenantPath {
  @Choice({ about: 'The collection.', values: COLLECTIONS })
  collection!: Collection;
}

export class SyncConflictPath extends SyncTenantPath {
  @Text({ about: 'The conflict, as the list names it.', pattern: HEX_DIGEST, example: 'a'.repeat(64) })
  conflictId!: string;
}

export class VersionOriginMember {
  @Text({ about: 'The origin that wrote it.', pattern: /^[A-Za-z0-9][A-Za-z0-9._~-]{0,63}$/ })
  writer!: string;

  @Integer({ about: 'Which of its writes.', min: 1, max: Number.MAX_SAFE_INTEGER })
  seq!: number;

  @Text({ about: 'The digest of the content; null of a deletion.', nullable: true, pattern: SHA256_DIGEST })
  hash!: string | null;
}

/** One version of a record (docs/formats/sync.md). */
export class SyncRecord {
  @Choice({ about: 'What it travels in; a deletion in tombstones.', values: COLLECTIONS })
  collection!: Collection;

  @TextList({ about: 'The id of the record; of a deletion its collection first.', minItems: 1, maxItems: 6, max: 640 })
  id!: string[];

  @FreeObject({ about: 'Per origin the last of its writes that the version knows of.', example: { a1b2c3d4: 7 } })
  vector!: Record<string, unknown>;

  @Nested({ about: 'Of which write it is.', type: () => VersionOriginMember })
  origin!: VersionOriginMember;

  @Flag({ about: 'Whether it is a deletion.' })
  deleted!: boolean;

  @Documented({
    about: 'The content; null of a deletion, and absent where it was not asked for.',
    optional: true,
    nullable: true,
    schema: { type: 'object', additionalProperties: true },
  })
  content?: unknown;

  @Text({ about: 'The digest of the version.', pattern: SHA256_DIGEST })
  digest!: string;

  @Integer({
    about: 'Where it stands in the order of changes of the server that sent it.',
    optional: true,
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
  })
  position?: number;

  @Flag({ about: 'An incident has its content set aside there.', optional: true })
  withheld?: boolean;
}

export class CollectionQuery {
  @Text({ about: 'The next_cursor of the page before.', optional: true, min: 1, max: 4096 })
  cursor?: string;

  @Integer({
    about: 'How many items at most; fewer where their content is large.',
    min: 1,
    max: MAX_RECORDS,
    default: 500,
  })
  limit!: number;

  @Flag({ about: 'Whether items have their content.', default: true })
  include_content!: boolean;

  @Integer({
    about: 'Only what changed after this position, in the order of changes. Sent again with a cursor of such a page.',
    optional: true,
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
  })
  since?: number;
}

export class CollectionPage {
  @Text({ about: 'svc.sync_page/1' })
  schema!: 'svc.sync_page/1';

  @Text({ about: 'The tenant.' })
  tenant_id!: string;

  @Choice({ about: 'The collection.', values: COLLECTIONS })
  collection!: Collection;

  @ListOf({
    about: 'Versions in the order of their keys and digests; with since in that of their changes.',
    type: () => SyncRecord,
  })
  items!: SyncRecord[];

  @Integer({ about: 'How many they are.', min: 0 })
  count!: number;

  @Text({ about: 'For the next page; null after the last one.', nullable: true })
  next_cursor!: string | null;

  @Flag({ about: 'Whether there is a next page.' })
  has_more!: boolean;

  @Integer({ about: 'Whoever has this page, and with since all before it, has all changes up to here.', min: 0 })
  position!: number;

  @Text({ about: 'Over the digests of the items.', pattern: SHA256_DIGEST })
  page_digest!: string;

  @Text({
    about: 'The Merkle root over all items from the first page to this one; null with since.',
    nullable: true,
    pattern: SHA256_DIGEST,
  })
  root_so_far!: string | null;
}

export class KnownRecord {
  @TextList({ about: 'The id, as the collection has it.', minItems: 1, maxItems: 6, max: 640 })
  id!: string[];

  @TextList({
    about: 'The digests of the versions that the caller has; none: it has none.',
    maxItems: 100,
    max: 71,
    default: [],
  })
  digests!: string[];
}

export class DiffRequest {
  @ListReadLater({ about: 'Records of the collection.', type: () => KnownRecord, min: 1, max: MAX_RECORDS })
  items!: KnownRecord[];

  @Flag({ about: 'Whether what is missing comes with its content.', default: true })
  include_content!: boolean;
}

export class RecordDigests {
  @TextList({ about: 'The id.' })
  id!: string[];

  @TextList({ about: 'Digests.' })
  digests!: string[];
}

export class CollectionDiff {
  @Text({ about: 'svc.sync_diff/1' })
  schema!: 'svc.sync_diff/1';

  @Text({ about: 'The tenant.' })
  tenant_id!: string;

  @Choice({ about: 'The collection.', values: COLLECTIONS })
  collection!: Collection;

  @ListOf({ about: 'Versions that are here and that the caller does not have.', type: () => SyncRecord })
  missing!: SyncRecord[];

  @ListOf({
    about: 'Versions that the caller has and that are not here: new to this server, or gone beyond.',
    type: () => RecordDigests,
  })
  unknown!: RecordDigests[];

  @Integer({
    about: 'Where a request of the rest begins, when not all fitted into the answer; null: all did.',
    nullable: true,
    min: 1,
  })
  next_item!: number | null;
}
