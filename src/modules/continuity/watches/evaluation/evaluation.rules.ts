import { v5 as uuidOf } from 'uuid';
import type { Digest } from '../../../../evidence/digest.js';
import type { PassageNow } from '../../../knowledge/citations/source-states.types.js';
import { documentKeyOf, type PresentDocument } from '../../../knowledge/citations/present-documents.views.js';
import type { Alert, AlertedPassage, Change, FaultyVerdict } from '../watches.types.js';
import type { Candidate, Occurrence, PlacedSource } from './evaluation.types.js';

/** Passages that an alert names at most; it counts all. */
export const MAX_PASSAGES = 20;

/** What came of looking at a watch: alerts in the order of their events, and where it stands from now on. */
export interface Verdict {
  alerts: Alert[];
  targetVersion: number | null;
  sources: PlacedSource[];
}

interface NamedPassage {
  chunkId: string;
  contentHash: string;
}

const isAboutDocuments = ({ kind }: Occurrence): boolean => kind.startsWith('document.');
const nameOf = ({ owner, data }: Occurrence) => ({
  ownerTenantId: owner,
  corpusId: data.corpusId as string,
  docId: data.docId as string,
});
const documentOf = (one: Occurrence): string => documentKeyOf(nameOf(one));
export const versionOf = ({ data }: Occurrence): number | null => (data.version as number | null) ?? null;

function alert(one: Occurrence, change: Change, rest: Partial<Alert>): Alert {
  const { eventId, occurredAt } = one;
  const { corpusId, docId } = isAboutDocuments(one) ? nameOf(one) : { corpusId: null, docId: null };
  const none = { from: null, to: null, passages: [], passageCount: 0, proofJobId: null, verdict: null };
  return { eventId, occurredAt, change, corpusId, docId, ...none, ...rest };
}

/** Proofs that did not hold, of whatever is watched. */
export function judgeProofs({ resolvedType, targetId, known }: Candidate, occurrences: readonly Occurrence[]): Alert[] {
  return occurrences
    .filter(({ kind, transaction, data }) => {
      if (kind !== 'proof.completed' || known.includes(transaction)) return false;
      const { type, id } = data.subject as { type: string; id: string };
      return type === resolvedType && id === targetId && data.verdict !== 'holds';
    })
    .map((one) => {
      const verdict = one.data.verdict as FaultyVerdict;
      return alert(one, verdict === 'unavailable' ? 'deleted' : 'drifted', {
        proofJobId: one.data.jobId as string,
        verdict,
      });
    });
}

/**
 * A watched document. Of an own one every version is reported, also when it was replaced meanwhile. Of another tenant's
 * only what can be seen now: one that is not shared any more counts as deleted, whatever became of it.
 */
export function judgeDocument(
  watch: Candidate,
  occurrences: readonly Occurrence[],
  { tenantId, present }: { tenantId: string; present: ReadonlyMap<string, PresentDocument> },
): Verdict {
  const [source] = watch.sources as [PlacedSource];
  const key = documentKeyOf(source);
  const isOwn = source.ownerTenantId === tenantId;
  const alerts: Alert[] = [];
  let { version, stands } = source;
  for (const one of occurrences.filter((each) => isAboutDocuments(each) && documentOf(each) === key)) {
    if (watch.known.includes(one.transaction)) continue;
    const reported = versionOf(one) ?? 0;
    const isIndexed = one.kind === 'document.indexed';
    const isShown = isIndexed && (isOwn || present.get(key)?.version === reported);
    const isGone = isOwn ? !isIndexed && reported >= version : !present.has(key);
    if (isShown && reported > version) {
      alerts.push(newVersion(one, stands ? version : null, reported));
      [version, stands] = [reported, true];
    } else if (isGone && stands) {
      alerts.push(alert(one, 'deleted', { from: version }));
      stands = false;
    }
  }
  return { alerts, targetVersion: version, sources: [{ ...source, version, stands }] };
}

function newVersion(one: Occurrence, from: number | null, to: number): Alert {
  const { corpusId, docId } = nameOf(one);
  const passages = (one.data.changed as NamedPassage[]).map((passage) => ({
    ...passage,
    corpusId,
    docId,
    version: to,
  }));
  return alert(one, 'new_version', { from, to, passages, passageCount: one.data.changedCount as number });
}

/**
 * Watched passages, of an answer or one alone: reports those that held and no longer do. A passage that comes back is
 * not reported, but its next loss may be.
 */
export function judgePassages(
  watch: Candidate,
  occurrences: readonly Occurrence[],
  passages: ReadonlyMap<PlacedSource, PassageNow>,
): Verdict {
  const events = occurrences.filter((one) => isAboutDocuments(one) && !watch.known.includes(one.transaction));
  // A document that changed several times has one state now: its last event brought it.
  const last = new Map<string, Occurrence>();
  for (const one of events) {
    // A map keeps the place of a key's first value: alerts follow the order of the last ones.
    last.delete(documentOf(one));
    last.set(documentOf(one), one);
  }
  const lost = new Map<string, PlacedSource[]>();
  const sources = watch.sources.map((source) => {
    const key = documentKeyOf(source);
    if (!last.has(key)) return source;
    const stands = passages.get(source)!.state === 'holds';
    if (source.stands && !stands) lost.set(key, [...(lost.get(key) ?? []), source]);
    return { ...source, stands };
  });
  const alerts = [...last]
    .filter(([key]) => lost.has(key))
    .map(([key, one]) => lostPassages(one, lost.get(key)!, passages.get(lost.get(key)![0]!)!));
  return { alerts, targetVersion: watch.targetVersion, sources };
}

function lostPassages(one: Occurrence, lost: readonly PlacedSource[], { version: to }: PassageNow): Alert {
  return alert(one, to === null ? 'deleted' : 'drifted', {
    from: Math.max(...lost.map(({ version }) => version)),
    to,
    passages: lost.slice(0, MAX_PASSAGES).map(({ chunkId, contentHash, corpusId, docId, version }) => ({
      chunkId: chunkId!,
      contentHash: `blake3:${contentHash}`,
      corpusId,
      docId,
      version,
    })),
    passageCount: lost.length,
  });
}

/** The latest recording of a watched answer that is newer than the one it stands on. */
export function latestRecording(
  { targetId, targetVersion, known }: Candidate,
  occurrences: readonly Occurrence[],
): Occurrence | undefined {
  return occurrences.findLast(
    (one) =>
      one.kind === 'answer.recorded' &&
      one.subject === targetId &&
      !known.includes(one.transaction) &&
      (versionOf(one) ?? 0) > (targetVersion ?? 0),
  );
}

export const newAnswer = (one: Occurrence, from: number | null): Alert =>
  alert(one, 'new_version', { from, to: versionOf(one) });

/** A passage that a watched query finds now. */
export interface Match extends AlertedPassage {
  ownerTenantId: string;
  contentHash: Digest;
  key: Buffer;
}

/**
 * Of what a query finds now, what these events brought into view: text that the version before did not have, a document
 * that is shared with more tenants now, a corpus that the tenant bought. By the last event that did.
 */
export function matchesOf(
  { known, query }: Candidate,
  occurrences: readonly Occurrence[],
  { tenantId, found }: { tenantId: string; found: readonly Match[] },
): Map<Occurrence, Match[]> {
  const events = occurrences.filter((one) => BRINGING.has(one.kind) && !known.includes(one.transaction));
  const matches = new Map<Occurrence, Match[]>();
  if (!query) return matches;
  for (const match of found) {
    const one = events.findLast((event) =>
      event.kind === 'entitlement.granted' ? isEntitledBy(event, match) : isIndexedBy(event, match, tenantId),
    );
    if (one) matches.set(one, [...(matches.get(one) ?? []), match]);
  }
  return matches;
}

const BRINGING = new Set(['document.indexed', 'entitlement.granted']);

const isEntitledBy = ({ data }: Occurrence, { ownerTenantId, corpusId }: Match): boolean =>
  data.publisher === ownerTenantId && data.corpusId === corpusId;

function isIndexedBy(event: Occurrence, match: Match, tenantId: string): boolean {
  if (documentOf(event) !== documentKeyOf(match)) return false;
  return hasNewText(event, match) || (match.ownerTenantId !== tenantId && isSharedWithMore(event));
}

function hasNewText({ data }: Occurrence, { contentHash }: Match): boolean {
  const changed = data.changed as NamedPassage[];
  return (
    changed.length < (data.changedCount as number) || changed.some((passage) => passage.contentHash === contentHash)
  );
}

/** From fewest readers to most. */
const READERS = ['owner_only', 'entitled_only', 'public_safe'];

/** Events of earlier releases do not say how the version before was shared. */
const isSharedWithMore = ({ data }: Occurrence): boolean =>
  typeof data.previousShareability === 'string' &&
  READERS.indexOf(data.shareability as string) > READERS.indexOf(data.previousShareability);

/**
 * The end of an entitlement, or of the tenant that shared, is to a watch the withdrawal of each of its documents in
 * that corpus, or of that tenant. Each is an event of its own, since an event alerts a watch once.
 */
export function withdrawalsOf({ sources }: Candidate, occurrences: readonly Occurrence[]): Occurrence[] {
  return occurrences.flatMap((one) => {
    if (one.kind !== 'entitlement.ended' && one.kind !== 'tenant.deleted') return one;
    const owner = (one.data.publisher as string | undefined) ?? one.owner;
    const ended = sources.filter(
      (source) => source.ownerTenantId === owner && [undefined, source.corpusId].includes(one.data.corpusId as string),
    );
    return [...new Map(ended.map((source) => [documentKeyOf(source), source]))].map(([key, { corpusId, docId }]) => ({
      ...one,
      eventId: uuidOf(key, one.eventId),
      owner,
      kind: 'document.withdrawn',
      data: { corpusId, docId, version: null },
    }));
  });
}

export function newMatches(one: Occurrence, matches: readonly Match[]): Alert {
  return alert(one, 'new_match', {
    to: Math.max(...matches.map(({ version }) => version)),
    passages: matches.slice(0, MAX_PASSAGES).map(({ ownerTenantId: _owner, key: _key, ...passage }) => passage),
    passageCount: matches.length,
  });
}
