import type { Collection } from './sync.types.js';

/** What a record is of: a collection other than that of deletions. */
export type RecordCollection = Exclude<Collection, 'tombstones'>;

/** Per origin the last of its writes that a version knows of. */
export type VersionVector = Readonly<Record<string, number>>;

/** What makes a version the one it is, its content apart. Digests are 64 hexadecimal digits. */
export interface SyncVersion {
  /** Of the record, of deletions too. */
  readonly target: RecordCollection;
  /** The id of the record: texts, as many as its collection has. */
  readonly parts: readonly string[];
  /** Names the record: a digest of target and parts. */
  readonly key: string;
  readonly digest: string;
  readonly vector: VersionVector;
  readonly writer: string;
  readonly seq: number;
  readonly isDeleted: boolean;
  /** Of the content; null of a deletion. */
  readonly contentDigest: string | null;
}

/** The content of a version: an object with the members of its collection. */
export type SyncContent = Readonly<Record<string, unknown>>;

/** A version that came in, verified. */
export interface IncomingVersion extends SyncVersion {
  /** The entities that the record is of, as legal holds and prefixes compare them; of a hold its prefixes. */
  readonly names: readonly string[];
  readonly content: SyncContent | null;
}

/** How a version stands here: what reads show; what would be shown but for a legal hold; alive, and not shown. */
export type VersionState = 'applied' | 'held' | 'conflict';

/** A version that is kept. */
export interface KeptVersion extends SyncVersion {
  readonly names: readonly string[];
  readonly position: number;
  readonly state: VersionState;
  /** Of what the tables of the memory had of the record when it was looked at last; null: nothing. */
  readonly localDigest: string | null;
}

/** What the tables of the memory have of a record. `withheld`: set aside by an incident. */
export type LocalState =
  | { readonly kind: 'absent' }
  | { readonly kind: 'withheld' }
  | {
      readonly kind: 'present';
      readonly content: SyncContent;
      readonly names: readonly string[];
      readonly digest: string;
    };

export const VERDICTS = [
  'apply',
  'skip_same',
  'conflict_kept',
  'refused_hold',
  'refused_scope',
  'refused_content',
  'tombstone',
] as const;
export type Verdict = (typeof VERDICTS)[number];

/** A write that brings the tables of the memory to what the versions say. */
export interface LocalWrite {
  readonly target: RecordCollection;
  readonly parts: readonly string[];
  readonly key: string;
  /** null: the record is to be deleted. */
  readonly content: SyncContent | null;
  /** Whether the tables have another content of it. */
  readonly isReplaced: boolean;
}
