import { createHmac } from 'node:crypto';
import { canonicalText } from '../../../evidence/canonical-json.js';
import type { PassageThen, SourceState } from '../../knowledge/citations/source-states.types.js';
import { sha256 } from '../../../evidence/sha256.js';
import type { WatchSource } from './watch-source.entity.js';
import type { WatchRequest } from './watches.dto.js';
import type { Alert, TargetType, WatchedQuery } from './watches.types.js';

export const targetTypeOf = (written: WatchRequest['targetType']): TargetType =>
  written === 'artefact' ? 'artifact' : written;

/** The question of a request, as it is kept. */
export const watchedQueryOf = (query: NonNullable<WatchRequest['query']>): WatchedQuery => ({
  ...query,
  minScore: query.minScore ?? null,
});

/**
 * The name of a question that was given none: the same question has the same.
 * @param key of the tenant: nobody else can make the name of a question that he guesses
 */
export const nameOfQuery = (watched: WatchedQuery, key: Uint8Array): string =>
  `query:${createHmac('sha256', key).update(canonicalText(watched)).digest('hex').slice(0, 32)}`;

/** The target that a request names; undefined where it names none. */
export function namedTarget(
  { targetType, targetId, query }: WatchRequest,
  key: Uint8Array,
): { targetType: TargetType; targetId: string } | undefined {
  const ofQuery = targetType === 'query' && query ? nameOfQuery(watchedQueryOf(query), key) : undefined;
  const name = targetId ?? ofQuery;
  return name === undefined ? undefined : { targetType: targetTypeOf(targetType), targetId: name };
}

/** By what a passage is known to a watched query: its text in its document, whatever the version. */
export function passageKey(passage: {
  ownerTenantId: string;
  corpusId: string;
  docId: string;
  contentHash: Uint8Array;
}): Buffer {
  const { ownerTenantId, corpusId, docId, contentHash } = passage;
  const name = [ownerTenantId, corpusId, docId, Buffer.from(contentHash).toString('hex')];
  return sha256(JSON.stringify(name));
}

/** A passage that a watch stands on, as it is asked about. */
export const passageOf = ({ ownerTenantId, corpusId, docId, contentHash }: WatchSource): PassageThen => ({
  ...{ ownerTenantId, corpusId, docId },
  contentHash: `blake3:${contentHash}`,
});

/**
 * Whether what is watched still holds after a change; null of a change that says nothing of it. That a proof is broken
 * says nothing of its sources: it is about the record.
 */
export function stateAfter({ change, verdict }: Pick<Alert, 'change' | 'verdict'>): SourceState | null {
  if (verdict !== null) return verdict === 'broken' ? null : verdict;
  if (change === 'deleted') return 'unavailable';
  return change === 'drifted' ? 'drifted' : null;
}
