import type { Issue } from '../../../common/problem/common-problems.js';
import { completeVersion, contentDigest, isNamed, named, unnamed } from './sync-digests.rules.js';
import { arePartsOf, isTarget, namesOf } from './sync-ids.rules.js';
import type { IncomingVersion, RecordCollection, SyncContent, SyncVersion } from './sync-record.types.js';
import type { SyncRecord } from './sync.dto.js';

/** Origins that a vector names at most; a version with more is not taken, and the request that it is in goes on. */
export const MAX_ORIGINS = 256;
const ORIGIN = /^[A-Za-z0-9][A-Za-z0-9._~-]{0,63}$/;

/** Thrown for a record that is not what it says of itself: the request is refused whole. */
export class BrokenRecord extends Error {
  constructor(readonly issue: Issue) {
    super(issue.message);
  }
}

const broken = (path: string, message: string): BrokenRecord => new BrokenRecord({ path, message });

/**
 * Reads a record and holds it against its digests.
 * @param path where it stands in the request
 * @returns content is null where none came with it, too
 * @throws BrokenRecord
 */
export function versionOfRecord(record: SyncRecord, path: string): IncomingVersion {
  const { target, parts } = idOf(record, path);
  checkVector(record, path);
  const { writer, seq, hash } = record.origin;
  if ((hash === null) !== record.deleted) throw broken(`${path}.origin.hash`, 'must be null exactly of a deletion');
  const made: SyncVersion = completeVersion({
    ...{ target, parts, vector: record.vector as Record<string, number>, writer, seq, isDeleted: record.deleted },
    contentDigest: hash === null ? null : unnamed(hash),
  });
  if (!isNamed(record.digest) || unnamed(record.digest) !== made.digest)
    throw broken(
      `${path}.digest`,
      `is not the digest of this version, which is ${named(made.digest)}; nothing was used`,
    );
  const content = contentOf(record, path);
  return { ...made, content, names: namesOf(target, parts, content) };
}

function idOf({ collection, id, deleted }: SyncRecord, path: string): { target: RecordCollection; parts: string[] } {
  if ((collection === 'tombstones') !== deleted)
    throw broken(`${path}.collection`, 'must be tombstones exactly of a deletion');
  const [first, ...rest] = id;
  const target = deleted ? first : collection;
  const parts = deleted ? rest : id;
  if (!isTarget(target)) throw broken(`${path}.id[0]`, 'must name the collection of what was deleted');
  if (!arePartsOf(target, parts))
    throw broken(`${path}.id`, `is no id of ${target}; docs/formats/sync.md has their parts`);
  return { target, parts };
}

function checkVector({ vector, origin }: SyncRecord, path: string): void {
  const origins = Object.entries(vector);
  if (origins.length === 0) throw broken(`${path}.vector`, `must name 1 to ${MAX_ORIGINS} origins`);
  for (const [name, n] of origins) {
    if (!ORIGIN.test(name))
      throw broken(
        `${path}.vector`,
        'names an origin that is none: 1 to 64 of A-Z a-z 0-9 . _ ~ -, the first a letter or digit',
      );
    if (!Number.isSafeInteger(n) || (n as number) < 1)
      throw broken(`${path}.vector.${name}`, 'must be a whole number from 1 to 2^53 - 1');
  }
  if (!Object.hasOwn(vector, origin.writer) || vector[origin.writer] !== origin.seq)
    throw broken(`${path}.origin.seq`, 'must be what the vector has of its writer');
}

function contentOf({ content, deleted, origin }: SyncRecord, path: string): SyncContent | null {
  if (content === undefined || content === null) return null;
  if (deleted) throw broken(`${path}.content`, 'must be null: a deletion has no content');
  if (typeof content !== 'object' || Array.isArray(content))
    throw broken(`${path}.content`, 'must be an object or null');
  let digest: string;
  try {
    digest = contentDigest(content as SyncContent);
  } catch {
    throw broken(`${path}.content`, 'has no canonical form (RFC 8785)');
  }
  if (named(digest) !== origin.hash) throw broken(`${path}.content`, 'is not what origin.hash is the digest of');
  return content as SyncContent;
}
