import { blake3Digest } from '../../../evidence/digest.js';
import type { Anchor, Anchored, AnchorNow, Claim, ClaimNow, Contradiction } from './dossiers.types.js';

/**
 * Holds an anchor against what it names.
 * @param found undefined where nothing of this id is there any more
 */
export function anchorNow(anchor: Anchor, found: Anchored | undefined): AnchorNow {
  if (!found) return { ...anchor, state: 'unavailable', why: 'nothing of this id is there', rivals: [], subject: '' };
  const { state, successor, rivals, subject, value } = found;
  const now = { ...anchor, rivals, subject, ...(successor && { successor }), ...(value && { value }) };
  if (state !== 'holds') return { ...now, state, why: whyNot(found) };
  if (!standsThere(anchor, found.text)) return { ...now, state: 'drifted', why: 'the words are not at their place' };
  if (rivals.length > 0) return { ...now, state, why: `another current fact says otherwise: ${rivals.join(', ')}` };
  return { ...now, state };
}

/**
 * What is to be thought of each claim, in their order:
 * - unsupported: it has no anchor;
 * - stale: one of its anchors does not hold;
 * - contradicted: all hold, and another current fact of the same entity and key has another value, or the dossier says
 *   that another claim contradicts it, of which all anchors hold too;
 * - supported: anything else.
 */
export function claimsNow(
  claims: readonly Claim[],
  anchors: readonly (readonly AnchorNow[])[],
  contradictions: readonly Contradiction[],
): ClaimNow[] {
  const standing = new Set(claims.filter((_, place) => doStand(anchors[place]!)).map(({ claim_id }) => claim_id));
  const disputes = new Map<string, string>();
  for (const { a, b, why } of contradictions.filter(({ a, b }) => standing.has(a) && standing.has(b))) {
    disputes.set(a, disputes.get(a) ?? `claim ${b} contradicts it: ${why}`);
    disputes.set(b, disputes.get(b) ?? `claim ${a} contradicts it: ${why}`);
  }
  return claims.map(({ claim_id, text, confidence }, place) => ({
    ...{ claim_id, text, confidence, anchors: [...anchors[place]!] },
    ...stateOf(anchors[place]!, disputes.get(claim_id)),
  }));
}

function stateOf(anchors: readonly AnchorNow[], dispute: string | undefined): Pick<ClaimNow, 'state' | 'why'> {
  if (anchors.length === 0) return { state: 'unsupported', why: 'it rests on nothing' };
  const broken = anchors.find(({ state }) => state !== 'holds');
  if (broken) return { state: 'stale', why: `${broken.kind} ${broken.id}: ${broken.why}` };
  const rival = anchors.find(({ rivals }) => rivals.length > 0);
  const why = rival ? `${rival.kind} ${rival.id}: ${rival.why}` : dispute;
  return why === undefined ? { state: 'supported' } : { state: 'contradicted', why };
}

const doStand = (anchors: readonly AnchorNow[]): boolean =>
  anchors.length > 0 && anchors.every(({ state }) => state === 'holds');

/** Whether the words that were quoted stand where they were. */
function standsThere({ start, end, quote_blake3: quote }: Anchor, text: string | undefined): boolean {
  if (quote === null) return start === null || (text !== undefined && end! <= text.length);
  if (text === undefined || (end !== null && end > text.length)) return false;
  return blake3Digest(text.slice(start ?? 0, end ?? text.length)) === quote;
}

function whyNot({ state, successor }: Anchored): string {
  if (successor !== undefined) return `was superseded by ${successor}`;
  return { holds: '', drifted: 'says something else now', unavailable: 'is there no more', unknown: 'was damaged' }[
    state
  ];
}
