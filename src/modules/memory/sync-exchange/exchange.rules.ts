import { createHash } from 'node:crypto';
import type { Verdict } from '../sync/sync-record.types.js';
import type { SyncRecord } from '../sync/sync-wire.types.js';
import { type Collection, COLLECTIONS } from '../sync/sync.types.js';
import type { ExchangeReach, Known, Manifest, Unapplied } from './exchange.types.js';

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
  return createHash('sha256')
    .update(JSON.stringify([...ends, reach]))
    .digest('hex');
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

const MAX_RECORDS = 2000;
const MAX_BYTES = 5 * 1024 * 1024;

/** Batches that fit into a request; at least one, which may be empty. */
export function batchesOf(records: readonly SyncRecord[]): SyncRecord[][] {
  const batches: SyncRecord[][] = [[]];
  let bytes = 0;
  for (const record of records) {
    const size = Buffer.byteLength(JSON.stringify(record)) + 1;
    const last = batches.at(-1)!;
    const isFull = last.length === MAX_RECORDS || (last.length > 0 && bytes + size > MAX_BYTES);
    if (isFull) batches.push([record]);
    else last.push(record);
    bytes = isFull ? size : bytes + size;
  }
  return batches;
}

export const rootOf = ({ collections }: Manifest, collection: Collection) =>
  collections.find(({ name }) => name === collection);
