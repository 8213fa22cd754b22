import { randomUUID } from 'node:crypto';
import { inRounds } from '../../../common/database/rounds.js';
import type { BoundFact } from '../../../evidence/fact-leaf.js';
import { sha256Digest } from '../../../evidence/digest.js';
import { sha256 } from '../../../evidence/sha256.js';
import { VISIBILITY, type FactDraft, type Visibility } from './facts.types.js';

/** Entities that daemons keep for themselves: always private (D36). */
const RESERVED_PREFIXES = ['__', 'svc:', 'layer:', 'storybook:', 'dossier:'] as const;

export const isReserved = (entity: string): boolean => RESERVED_PREFIXES.some((prefix) => entity.startsWith(prefix));

export function visibilityOf(entity: string, isPrivate: boolean): Visibility {
  if (isReserved(entity)) return VISIBILITY.reserved;
  return isPrivate ? VISIBILITY.private : VISIBILITY.public;
}

/** A token's subject can be of any length and hold anything; what is part of an index key cannot. */
const MAX_OWNER = 200;

/** Under which name a principal owns private facts. */
export function ownerOf(principal: string): string {
  if (principal.length <= MAX_OWNER && principal.isWellFormed() && !principal.includes('\0')) return principal;
  return sha256Digest(principal);
}

/**
 * Parts the facts so that no part holds two of one chain: the database stores part after part.
 * @returns the parts, each fact with its place among all, from 1
 */
export const roundsOf = (
  drafts: readonly FactDraft[],
): (Omit<FactDraft, 'path' | 'source_ids' | 'sources'> & { place: number })[][] =>
  inRounds(
    drafts.map(({ path: _, source_ids: __, sources: ___, ...draft }, index) => ({ ...draft, place: index + 1 })),
    nameOf,
  );

type Named = Pick<FactDraft, 'owner' | 'entity' | 'key'>;
const nameOf = ({ owner, entity, key }: Named): string[] => [owner, entity, key];
const chainOf = (draft: FactDraft): string => JSON.stringify(nameOf(draft));

/** Of each fact of a list the one that retires it, where a later one of the same list does. */
export function successorsOf(drafts: readonly FactDraft[]): (string | undefined)[] {
  const next = new Map<string, string>();
  const successors = drafts.toReversed().map((draft) => {
    const successor = next.get(chainOf(draft));
    next.set(chainOf(draft), draft.fact_id);
    return successor;
  });
  return successors.reverse();
}

/** Of what the budget is spent on in this order: whatever still fits. */
export function withinBudget<T extends { tokens: number }>(facts: readonly T[], budget: number | undefined): T[] {
  let left = budget ?? Infinity;
  return facts.filter(({ tokens }) => {
    if (tokens > left) return false;
    left -= tokens;
    return true;
  });
}

/** Of what the budget is spent on in this order: everything up to where the next would exceed it. */
export function beforeBudgetEnds<T extends { tokens: number }>(facts: readonly T[], budget: number | undefined): T[] {
  let left = budget ?? Infinity;
  const end = facts.findIndex(({ tokens }) => (left -= tokens) < 0);
  return end === -1 ? [...facts] : facts.slice(0, end);
}

const PREFIX_LENGTH = 200;
const LAST_CODE_POINT = 0x10ffff;

/**
 * The bounds between which the first 200 characters of every text with this prefix lie, by code points: `from` <= text
 * < `until`, where there is an end.
 */
export function prefixRange(prefix: string): { from: string; until: string | undefined } {
  const points = Array.from(prefix).slice(0, PREFIX_LENGTH);
  const from = points.join('');
  while (points.at(-1)?.codePointAt(0) === LAST_CODE_POINT) points.pop();
  const last = points.pop();
  if (last === undefined) return { from, until: undefined };
  const next = last.codePointAt(0)! + 1;
  // Surrogates are no characters.
  return { from, until: points.join('') + String.fromCodePoint(next === 0xd800 ? 0xe000 : next) };
}

/**
 * A UUID of version 7 (RFC 9562), so that ids of one time lie together in indexes. Made of a random one, of which
 * Node.js keeps a stock: asking for random bytes each time takes as long as a statement's share in storing the fact.
 */
export function newFactId(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

/** What the receipt of its batch binds of a fact. */
export const boundDraft = (draft: FactDraft & { version: number }): BoundFact => ({
  ...draft,
  // As the database holds it: of a tombstone it is read from there, where 0.95 is written by its fewest digits.
  confidence: Math.fround(draft.confidence),
  tombstone: draft.tombstone ?? false,
  tenant_hash: draft.tenant_hash ?? null,
  source_receipt: draft.source_receipt ?? null,
  valid_from: draft.valid_from ?? null,
  valid_to: draft.valid_to ?? null,
  sources_digest: draft.sources_digest,
});

/** A 32-bit float as PostgreSQL writes it: by the fewest digits that say which one it is. */
export function shortestFloat(value: number): number {
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === Math.fround(value)) return short;
  }
  return Number(value.toPrecision(9));
}

/** Names the chain of a public fact, as svc_fact_chain does. */
export const publicChain = (entity: string, key: string): Buffer =>
  sha256(`0:${Array.from(entity).length}:${entity}${key}`);
