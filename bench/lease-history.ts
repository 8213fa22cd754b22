import type { LeaseFact, LeaseRecord } from './lease-history.types.js';
import { leaseModel, type LeaseCall } from './lease-model.js';
import { checkLinearizable, type Operation } from './linearizability.js';

/** Microseconds of the steady clock of a time of day in milliseconds. */
type ToSteady = (milliseconds: number) => number;

export interface LeaseVerdict {
  /** With an answer other than 503. */
  operations: number;
  /** By kind and status; 0 is no answer. */
  answers: Record<string, number>;
  /** What 503 said, and how often. */
  unavailable: Record<string, number>;
  items: number;
  /** The most calls of one item. */
  mostOfAnItem: number;
  grants: number;
  refusedOldFences: number;
  refusedAfterStop: number;
  /** Nothing of it may be: each is a sentence. */
  faults: string[];
}

/**
 * Judges what was recorded: first each rule by itself, which names what is wrong, then every item's history as a whole.
 * @param facts the leases in the database at the end
 * @param tolerance microseconds by which the clocks of callers and database may differ
 */
export function judgeLeases(
  records: readonly LeaseRecord[],
  facts: readonly LeaseFact[],
  toSteady: ToSteady,
  tolerance: number,
): LeaseVerdict {
  const histories = historiesOf(records, facts, toSteady);
  const refused = records.filter(({ fence, status }) => fence !== undefined && status === 409);
  return {
    operations: records.filter(isAnswered).length,
    answers: countBy(records, ({ kind, status }) => `${kind} ${status}`),
    unavailable: countBy(
      records.filter(({ status }) => status === 503),
      ({ text }) => text ?? '',
    ),
    items: histories.size,
    mostOfAnItem: Math.max(0, ...[...histories.values()].map(({ length }) => length)),
    grants: grantsOf(records).length,
    refusedOldFences: refused.length,
    refusedAfterStop: refused.filter(({ isAfterStop }) => isAfterStop).length,
    faults: [
      ...unexpected(records),
      ...fallingFences(records),
      ...doubleGrants(records, toSteady, tolerance),
      ...oldFencesAccepted(records),
      ...lostOrInvented(records, facts),
      ...notLinearizable(histories, tolerance),
    ],
  };
}

type Grant = LeaseRecord & { item: string; lease: { fence: number; expiresAtMs: number } };

const grantsOf = (records: readonly LeaseRecord[]): Grant[] =>
  records.filter(
    (record): record is Grant => isClaim(record) && record.lease !== undefined && record.item !== undefined,
  );

const isClaim = ({ kind }: LeaseRecord): boolean => kind === 'claim' || kind === 'claim-next';
/** What has an answer that says what happened. A 503 may come after a commit whose answer was lost. */
const isAnswered = ({ status }: Pick<LeaseRecord, 'status'>): boolean => status !== 0 && status !== 503;

function unexpected(records: readonly LeaseRecord[]): string[] {
  const bad = records.filter(({ status }) => ![0, 200, 409, 503].includes(status));
  const empty = records.filter((one) => one.kind === 'claim-next' && one.status === 200 && !one.lease);
  return [
    ...bad.map(({ kind, status, text }) => `${kind} answered ${status}: ${text}`),
    ...empty.map(({ holder }) => `claim-next found nothing for ${holder} though there is work`),
    ...records
      .filter(({ newerFence, fence }) => newerFence !== undefined && fence !== undefined && newerFence <= fence)
      .map(({ fence, newerFence }) => `the fence ${newerFence} was named as newer than ${fence}`),
  ];
}

/** Over all items: what was granted after another grant was answered has a greater fence. */
function fallingFences(records: readonly LeaseRecord[]): string[] {
  const byStart = grantsOf(records).sort((a, b) => a.start - b.start);
  const byEnd = [...byStart].sort((a, b) => a.end - b.end);
  const faults: string[] = [];
  let highest = 0;
  let answered = 0;
  for (const { start, lease, item } of byStart) {
    for (; answered < byEnd.length && byEnd[answered]!.end < start; answered += 1)
      highest = Math.max(highest, byEnd[answered]!.lease.fence);
    if (lease.fence <= highest) faults.push(`${item} was granted under ${lease.fence} after ${highest} was answered`);
  }
  const fences = byStart.map(({ lease }) => lease.fence);
  if (new Set(fences).size < fences.length) faults.push('a fence was given twice');
  return faults;
}

/** A grant that was answered before the lease before it could have ended. */
function doubleGrants(records: readonly LeaseRecord[], toSteady: ToSteady, tolerance: number): string[] {
  const renewals = Map.groupBy(
    records.filter(({ kind, status }) => kind === 'renew' && status === 200),
    ({ fence }) => fence!,
  );
  const releases = new Map<number, number>();
  for (const { kind, status, fence, start } of records)
    if (kind === 'release' && status !== 409) releases.set(fence!, Math.min(start, releases.get(fence!) ?? Infinity));
  const byItem = Map.groupBy(grantsOf(records), ({ item }) => item);
  return [...byItem].flatMap(([item, grants]) => {
    const inOrder = grants.sort((a, b) => a.lease.fence - b.lease.fence);
    return inOrder.slice(1).flatMap((next, n) => {
      const { lease } = inOrder[n]!;
      // Renewals that were answered before the next grant was sent.
      const known = (renewals.get(lease.fence) ?? []).filter(({ end }) => end < next.start);
      const expiry = Math.max(lease.expiresAtMs, ...known.map(({ lease: renewed }) => renewed?.expiresAtMs ?? 0));
      const earliestEnd = Math.min(toSteady(expiry) - tolerance, releases.get(lease.fence) ?? Infinity);
      return next.end < earliestEnd
        ? [`${item} was granted under ${next.lease.fence} while ${lease.fence} lasted`]
        : [];
    });
  });
}

/** Accepted, though a newer lease of the item was answered before it was sent. */
function oldFencesAccepted(records: readonly LeaseRecord[]): string[] {
  const byItem = Map.groupBy(grantsOf(records), ({ item }) => item);
  return records
    .filter(({ fence, status }) => fence !== undefined && status === 200)
    .flatMap(({ kind, item, fence, start }) => {
      const newer = byItem.get(item!)?.find((grant) => grant.lease.fence > fence! && grant.end < start);
      return newer ? [`${kind} of ${item} with ${fence} was accepted after ${newer.lease.fence} was granted`] : [];
    });
}

/** Every grant that was answered is in the database, and nothing that nobody asked for. */
function lostOrInvented(records: readonly LeaseRecord[], facts: readonly LeaseFact[]): string[] {
  const stored = new Map(facts.map((fact) => [fact.fence, fact]));
  const asked = new Set(records.filter(isClaim).map(({ holder }) => holder));
  const live = Map.groupBy(
    facts.filter(({ status }) => status === 'held'),
    ({ item }) => item,
  );
  return [
    ...grantsOf(records)
      .filter(({ item, holder, lease }) => {
        const fact = stored.get(lease.fence);
        return fact?.item !== item || fact.holder !== holder;
      })
      .map(({ item, lease }) => `the lease ${lease.fence} of ${item} was answered and is not there`),
    ...facts.filter(({ holder }) => !asked.has(holder)).map(({ fence }) => `nobody asked for the lease ${fence}`),
    ...facts.filter(({ hasReceipt }) => !hasReceipt).map(({ fence }) => `the lease ${fence} has no receipt`),
    ...[...live].filter(([, leases]) => leases.length > 1).map(([item]) => `${item} is held twice in the database`),
    ...[...Map.groupBy(facts, ({ holder }) => holder)]
      .filter(([, leases]) => leases.length > 1)
      .map(([holder]) => `one claim of ${holder} left more than one lease`),
  ];
}

function notLinearizable(histories: Map<string, Operation<LeaseCall>[]>, tolerance: number): string[] {
  const model = leaseModel(tolerance);
  return [...histories].flatMap(([item, history]) => {
    const verdict = checkLinearizable(model, history);
    if (verdict.isLinearizable) return [];
    const lines = [...verdict.longest.slice(-6), ...verdict.next].map((one) => JSON.stringify(one));
    return [`the history of ${item} is not linearizable; its end, and what could not follow:\n  ${lines.join('\n  ')}`];
  });
}

/** By item. A claim without an answer is in the history if the database shows its lease, and has to fit then. */
function historiesOf(
  records: readonly LeaseRecord[],
  facts: readonly LeaseFact[],
  toSteady: ToSteady,
): Map<string, Operation<LeaseCall>[]> {
  const granted = new Map(facts.map((fact) => [fact.holder, fact]));
  const over = Math.max(0, ...records.map(({ end }) => end)) + 1;
  const operations = records.flatMap((record): { item: string; operation: Operation<LeaseCall> }[] => {
    const { start, end } = record;
    if (isClaim(record) && !isAnswered(record)) {
      const fact = granted.get(record.holder);
      if (!fact) return [];
      const { fence, item, expiresAtMs } = fact;
      const call: LeaseCall = { kind: 'claim', outcome: 'done', fence, expiresAt: toSteady(expiresAtMs) };
      return [{ item, operation: { call, start, end: over } }];
    }
    const call = callOf(record, toSteady);
    const last = isAnswered(record) ? end : Infinity;
    return call && record.item ? [{ item: record.item, operation: { call, start, end: last } }] : [];
  });
  const byItem = Map.groupBy(operations, ({ item }) => item);
  return new Map([...byItem].map(([item, list]) => [item, list.map(({ operation }) => operation)]));
}

function callOf(record: LeaseRecord, toSteady: ToSteady): LeaseCall | undefined {
  const { kind, lease, version, status } = record;
  if (kind === 'read') return status === 200 ? { kind, outcome: 'done', fence: lease ? lease.fence : null } : undefined;
  if (kind !== 'claim' && kind !== 'claim-next') return fencedCallOf({ ...record, kind }, toSteady);
  if (status === 409) return { kind: 'claim', outcome: 'refused' };
  const expiresAt = lease && toSteady(lease.expiresAtMs);
  return lease && { kind: 'claim', outcome: 'done', fence: lease.fence, expiresAt: expiresAt!, version };
}

function fencedCallOf(
  { kind, lease, version, status, ttlSeconds, ...record }: LeaseRecord & { kind: 'renew' | 'write' | 'release' },
  toSteady: ToSteady,
): LeaseCall | undefined {
  const fence = record.fence!;
  if (status === 409) return { kind, outcome: 'refused', fence };
  const isUnknown = !isAnswered({ status });
  if (status !== 200 && !isUnknown) return undefined;
  if (kind === 'renew') {
    if (isUnknown) return { kind, outcome: 'unknown', fence, ttl: ttlSeconds * 1_000_000 };
    return lease && { kind, outcome: 'done', fence, expiresAt: toSteady(lease.expiresAtMs) };
  }
  if (isUnknown) return { kind, outcome: 'unknown', fence };
  return kind === 'write' ? { kind, outcome: 'done', fence, version } : { kind, outcome: 'done', fence };
}

function countBy<T>(list: readonly T[], nameOf: (one: T) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const one of list) counts[nameOf(one)] = (counts[nameOf(one)] ?? 0) + 1;
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => a.localeCompare(b)));
}
