import { named } from './sync-digests.rules.js';
import { collectionOf, wireIdOf } from './sync-ids.rules.js';
import type { SyncContent, SyncVersion } from './sync-record.types.js';
import type { SyncRecord } from './sync.dto.js';

/** A version as it travels, its content apart. */
export const recordOf = (version: SyncVersion): SyncRecord => ({
  collection: collectionOf(version.target, version.isDeleted),
  id: [...wireIdOf(version.target, version.parts, version.isDeleted)],
  vector: { ...version.vector },
  origin: {
    writer: version.writer,
    seq: version.seq,
    hash: version.contentDigest === null ? null : named(version.contentDigest),
  },
  deleted: version.isDeleted,
  digest: named(version.digest),
});

/** With its content; `undefined` where that is set aside. */
export const wholeRecordOf = (version: SyncVersion, content: SyncContent | undefined): SyncRecord => ({
  ...recordOf(version),
  content: content ?? null,
  ...(content === undefined && !version.isDeleted ? { withheld: true } : {}),
});
