import { shapeOf } from '../../../common/http/json-shape.js';
import { sha256 } from '../../../evidence/sha256.js';
import type { Verdict } from '../sync/sync-record.types.js';
import { arePartsOf, isTarget, keyOf, type SyncRecord, unnamed } from '../sync/sync-wire.types.js';
import { type Collection, COLLECTIONS } from '../sync/sync.types.js';
import type { ExchangeReach, Known, Manifest, Page, Pass, Unapplied } from './exchange.types.js';

const UNAPPLIED: ReadonlySet<Verdict> = new Set(['refused_hold', 'refused_scope', 'refused_content', 'conflict_kept']);

/** Whether a record was not taken, or is not what reads show. */
export const isUnapplied = ({ verdict }: { verdict: Verdict }): boolean => UNAPPLIED.has(verdict);

/** As a list that somebody is shown or that is kept. */
export const asUnapplied = ({ collection, id, digest, verdict, reason }: Unapplied): Unapplied => ({
  ...{ collection, id, digest, verdict, reason },
});

/** What both open. */
export function meet(a: ExchangeReach, b: ExchangeReach): ExchangeReach {
  const has = ({ collections }: ExchangeReach, name: Collection) => collections === 'all' || collections.has(name);
  const common = COLLECTIONS.filter((name) => has(a, name) && has(b, name));
  return {
    prefixes: meetPrefixes(a.prefixes, b.prefixes),
    collections: common.length === COLLECTIONS.length ? 'all' : new Set(common),
  };
}

function meetPrefixes(a: ExchangeReach['prefixes'], b: ExchangeReach['prefixes']): ExchangeReach['prefixes'] {
  if (a === 'all' || b === 'all') return a === 'all' ? b : a;
  const within = (ones: readonly string[], others: readonly string[]) =>
    ones.filter((one) => others.some((other) => one.startsWith(other)));
  return [...new Set([...within(a, b), ...within(b, a)])].sort();
}

/** Names what the progress of an exchange rests on: two databases as they are, and what is open between them. */
export function basisOf(source: Manifest, target: Manifest, { prefixes, collections }: ExchangeReach): string {
  const ends = [source, target].map(({ origin, membership_epoch }) => [origin, String(membership_epoch)]);
  const reach = [prefixes, collections === 'all' ? 'all' : [...collections].sort()];
  return sha256(JSON.stringify([...ends, reach])).toString('hex');
}

/** The versions of a page by their records. */
export function groupByRecord(items: readonly SyncRecord[]): Known[] {
  const groups = new Map<string, Known>();
  for (const { id, digest } of items) {
    const name = JSON.stringify(id);
    const group = groups.get(name) ?? { id, digests: [] };
    group.digests.push(digest);
    groups.set(name, group);
  }
  return [...groups.values()];
}

/**
 * What to ask a source for that a target lacks: of each record of a page that has something the target does not know
 * of, the digests that it does know.
 */
export function wantedOf(page: readonly Known[], unknown: readonly Known[]): Known[] {
  const lacking = new Map(unknown.map(({ id, digests }) => [JSON.stringify(id), new Set(digests)]));
  return page.flatMap(({ id, digests }) => {
    const lacks = lacking.get(JSON.stringify(id));
    return lacks ? [{ id, digests: digests.filter((digest) => !lacks.has(digest)) }] : [];
  });
}

/** How an item sorts in a pass: by key and digest, or by its position; undefined for one that has neither. */
function placeOf(collection: Collection, pass: Pass, { id, digest, position }: SyncRecord): string | undefined {
  if (pass === 'delta') return Number.isSafeInteger(position) ? placeAt(position!) : undefined;
  const [target, parts] = collection === 'tombstones' ? [id[0], id.slice(1)] : [collection, id];
  return isTarget(target) && arePartsOf(target, parts) ? keyOf(target, parts) + unnamed(digest) : undefined;
}

/** The place of a position: texts sort as their numbers. */
export const placeAt = (position: number): string => String(position).padStart(16, '0');

/**
 * So that a pass ends: each of its pages begins after the one before, and what is not the last has something.
 * @param after where the page before ended
 * @returns where this one ends; undefined for one that does not go on
 */
export function placeAfter(
  collection: Collection,
  pass: Pass,
  { items, next_cursor }: Pick<Page, 'items' | 'next_cursor'>,
  after: string,
): string | undefined {
  if (items.length === 0 && next_cursor !== null) return undefined;
  let last = after;
  for (const item of items) {
    const place = placeOf(collection, pass, item);
    if (place === undefined || place <= last) return undefined;
    last = place;
  }
  return last;
}

const MAX_RECORDS = 2000;
const MAX_BYTES = 5 * 1024 * 1024;
/** Of all objects together: fewer than a peer takes in a request. */
const MAX_MEMBERS = 100_000;
const UNBOUNDED = { depth: Infinity, values: Infinity, members: Infinity, widest: Infinity };

/** Batches that fit into a request; at least one, which may be empty. */
export function batchesOf(records: readonly SyncRecord[]): SyncRecord[][] {
  const batches: SyncRecord[][] = [[]];
  let bytes = 0;
  let members = 0;
  for (const record of records) {
    const json = Buffer.from(JSON.stringify(record));
    const size = json.length + 1;
    const count = shapeOf(json, UNBOUNDED).members;
    const last = batches.at(-1)!;
    const isOver = bytes + size > MAX_BYTES || members + count > MAX_MEMBERS;
    const isFull = last.length === MAX_RECORDS || (last.length > 0 && isOver);
    if (isFull) batches.push([record]);
    else last.push(record);
    bytes = isFull ? size : bytes + size;
    members = isFull ? count : members + count;
  }
  return batches;
}

export const rootOf = ({ collections }: Manifest, collection: Collection) =>
  collections.find(({ name }) => name === collection);
