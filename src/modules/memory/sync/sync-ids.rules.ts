import { canonicalJson } from '../../../evidence/canonical-json.js';
import { sha256 } from '../../../evidence/sha256.js';
import { isWrittenUuid } from '../../../common/ids/uuid-form.js';
import { MAX_ENTITY, MAX_KEY } from '../facts/facts.types.js';
import { MAX_END_ID, MAX_ID, MAX_KIND } from '../graph/graph.types.js';
import type { RecordCollection, SyncContent } from './sync-record.types.js';
import { type Collection, COLLECTIONS, type SyncReach } from './sync.types.js';

const U32 = /^(0|[1-9]\d{0,9})$/;
const MAX_U32 = 2 ** 32 - 1;
const MAX_EDGE_TYPE = 64;

type Part = (text: string) => boolean;
const upTo =
  (most: number): Part =>
  (text) =>
    text.length >= 1 && text.length <= most;
const isU32: Part = (text) => U32.test(text) && Number(text) <= MAX_U32;

/** The parts of the ids of each collection (docs/formats/sync.md). */
const PARTS: Readonly<Record<RecordCollection, readonly Part[]>> = {
  holds: [isWrittenUuid],
  entities: [upTo(MAX_KIND), upTo(MAX_ID)],
  edges: [upTo(MAX_KIND), upTo(MAX_END_ID), upTo(MAX_KIND), upTo(MAX_KIND), upTo(MAX_END_ID)],
  facts: [upTo(MAX_ENTITY), upTo(MAX_KEY)],
  relations: [isU32, upTo(MAX_EDGE_TYPE), isU32],
  cases: [isWrittenUuid],
};

const isCollection = (name: unknown): name is Collection => COLLECTIONS.includes(name as Collection);
export const isTarget = (name: unknown): name is RecordCollection => isCollection(name) && name !== 'tombstones';

export function arePartsOf(target: RecordCollection, parts: unknown): parts is string[] {
  const expected = PARTS[target];
  return (
    Array.isArray(parts) &&
    parts.length === expected.length &&
    expected.every((fits, place) => {
      const part: unknown = parts[place];
      return typeof part === 'string' && part.isWellFormed() && !part.includes('\0') && fits(part);
    })
  );
}

const KEY_DOMAIN = 'svc.sync.key/1\n';

/** Names a record, and orders records: SHA-256 over its collection and id. As svc_sync_key computes it. */
export const keyOf = (target: RecordCollection, parts: readonly string[]): string =>
  sha256(KEY_DOMAIN, canonicalJson([target, ...parts])).toString('hex');

/** The collection that a version travels in. */
export const collectionOf = (target: RecordCollection, isDeleted: boolean): Collection =>
  isDeleted ? 'tombstones' : target;

/** The id that it has there. */
export const wireIdOf = (target: RecordCollection, parts: readonly string[], isDeleted: boolean): readonly string[] =>
  isDeleted ? [target, ...parts] : parts;

/** The entities that a record is of, by its id; a hold is of what its content says. */
export function namesOf(target: RecordCollection, parts: readonly string[], content: SyncContent | null): string[] {
  const [a = '', b = '', , d = '', e = ''] = parts;
  switch (target) {
    case 'facts':
      return [a];
    case 'entities':
      return [`${a}:${b}`];
    case 'edges':
      return [`${a}:${b}`, `${d}:${e}`];
    case 'relations':
      return [`artifact:${a}`, `artifact:${parts[2]}`];
    case 'cases':
      return [`case:${a}`];
    case 'holds':
      return [...((content?.['entity_prefixes'] as string[] | undefined) ?? [])];
  }
}

interface Named {
  readonly target: RecordCollection;
  readonly names: readonly string[];
}

/** Whether one who is given this reach may know of the record. */
export function isReached({ target, names }: Named, { prefixes, collections }: SyncReach): boolean {
  if (collections !== 'all' && !collections.has(target)) return false;
  if (prefixes === 'all') return true;
  if (target === 'holds')
    return (
      names.length === 0 ||
      names.some((name) => prefixes.some((prefix) => name.startsWith(prefix) || prefix.startsWith(name)))
    );
  return names.every((name) => prefixes.some((prefix) => name.startsWith(prefix)));
}

/** Whether everything that the hold pins is within the reach: who releases it must reach all of it. */
export const isHoldWithin = (names: readonly string[], { prefixes }: SyncReach): boolean =>
  prefixes === 'all' || (names.length > 0 && names.every((name) => prefixes.some((prefix) => name.startsWith(prefix))));

/** Whether an active hold pins an entity of the record. Holds pin no holds. */
export const isPinned = ({ target, names }: Named, holds: readonly (readonly string[])[]): boolean =>
  target !== 'holds' &&
  holds.some(
    (prefixes) => prefixes.length === 0 || prefixes.some((prefix) => names.some((name) => name.startsWith(prefix))),
  );
