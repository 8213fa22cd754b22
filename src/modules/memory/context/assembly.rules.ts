import {
  CONTEXT_KINDS,
  type ContextKind,
  type CountedCandidate,
  type CountedPiece,
  type OmittedItem,
} from './context.types.js';
import { SaidTexts } from './near-duplicates.rules.js';

/** What the best of a kind is worth before others of it are chosen. */
const WEIGHTS: Readonly<Record<ContextKind, number>> = {
  facts: 1,
  passages: 1,
  engrams: 1,
  cases: 0.9,
  work: 0.6,
  layers: 1,
};
/** Each that was chosen makes the next of its kind worth so much less: no kind crowds out the others. */
const DECAY = 0.97;
/**
 * Added to the tokens of an item before its worth is divided by them: with less, short items that say little come
 * before long ones that answer (docs/memory-bench.md).
 */
const OVERHEAD = 400;

/** What may be chosen: an item, or a piece of one. */
export interface Choice {
  item: CountedCandidate;
  piece?: CountedPiece;
}

interface Weighed extends Choice {
  tokens: number;
  /** From 0 to the weight of its kind: weak matches add little. */
  worth: number;
}

export interface Assembly {
  /** In the order in which they were chosen. */
  chosen: Choice[];
  omitted: OmittedItem[];
}

/**
 * Chooses whole items, and pieces of those that have some, until the budget is full: the one with the greatest worth by
 * token first, those of a kind worth less the more of it there are. What nearly repeats one that was chosen is left
 * out. The same items and budget give the same assembly, in whatever order they come.
 */
export function assemble(candidates: readonly CountedCandidate[], budget: number): Assembly {
  const { unique, omitted } = withoutDuplicates(candidates);
  const left = new Map(CONTEXT_KINDS.map((kind) => [kind, weigh(unique.filter((item) => item.kind === kind))]));
  const chosen: Choice[] = [];
  const said = new SaidTexts<CountedCandidate>();
  const repeats = new Map<CountedCandidate, CountedCandidate>();
  const counts = new Map<ContextKind, number>();
  for (let tokens = 0; ;) {
    const next = bestOf(left, counts, budget - tokens);
    if (!next) break;
    const { item, piece } = next;
    const first = said.find(textOf(next), ({ kind }) => piece !== undefined || kind !== item.kind);
    if (first) {
      repeats.set(item, first);
      continue;
    }
    said.add(item, textOf(next));
    chosen.push({ item, ...(piece ? { piece } : {}) });
    counts.set(item.kind, (counts.get(item.kind) ?? 0) + 1);
    tokens += next.tokens;
  }
  const used = new Set(chosen.map(({ item }) => item));
  const unused = unique.filter((item) => !used.has(item)).map((item) => unusedOne(item, repeats.get(item), budget));
  return { chosen, omitted: [...omitted, ...unused] };
}

const textOf = ({ item, piece }: Choice): string => (piece ? item.text.slice(piece.start, piece.end) : item.text);

/** Takes the best that fits out of what is left. */
function bestOf(
  left: ReadonlyMap<ContextKind, Weighed[]>,
  counts: ReadonlyMap<ContextKind, number>,
  within: number,
): Weighed | undefined {
  let best: { of: Weighed[]; at: number; value: number } | undefined;
  for (const kind of CONTEXT_KINDS) {
    const of = left.get(kind)!;
    const at = of.findIndex(({ tokens }) => tokens <= within);
    if (at < 0) continue;
    const value = valueOf(of[at]!) * DECAY ** (counts.get(kind) ?? 0);
    if (!best || value > best.value) best = { of, at, value };
  }
  return best?.of.splice(best.at, 1)[0];
}

const valueOf = ({ worth, tokens }: Weighed): number => worth / (tokens + OVERHEAD);

/** Most worth by token first; of equal ones the lesser id, so that the order in which they came does not matter. */
function weigh(items: readonly CountedCandidate[]): Weighed[] {
  const most = Math.max(...items.map(({ score }) => score), Number.MIN_VALUE);
  const weighed = items.flatMap((item): Weighed[] => {
    const weight = WEIGHTS[item.kind];
    const whole = { item, tokens: item.tokens, worth: weight * (item.score / most) ** 2 };
    return item.pieces?.map((piece) => ({ item, piece, tokens: piece.tokens, worth: weight * piece.worth })) ?? [whole];
  });
  return weighed.sort((a, b) => valueOf(b) - valueOf(a) || byPlace(a, b));
}

const byPlace = (a: Choice, b: Choice): number =>
  a.item === b.item ? (a.piece?.start ?? 0) - (b.piece?.start ?? 0) : a.item.id < b.item.id ? -1 : 1;

/** The same text is said once: by the kind that comes first, then by the better score. */
function withoutDuplicates(candidates: readonly CountedCandidate[]): {
  unique: CountedCandidate[];
  omitted: OmittedItem[];
} {
  const place = ({ kind }: CountedCandidate): number => CONTEXT_KINDS.indexOf(kind);
  const sorted = [...candidates].sort((a, b) => place(a) - place(b) || b.score - a.score || (a.id < b.id ? -1 : 1));
  const seen = new Map<string, CountedCandidate>();
  const omitted: OmittedItem[] = [];
  for (const item of sorted) {
    const text = item.text.trim();
    const first = seen.get(text);
    if (first) omitted.push(sameAs(item, first));
    else seen.set(text, item);
  }
  return { unique: [...seen.values()], omitted };
}

const sameAs = ({ kind, id, tokens }: CountedCandidate, first: CountedCandidate): OmittedItem => ({
  ...{ kind, id, tokens, reason: 'duplicate' },
  detail: `says the same as ${first.id} of ${first.kind}`,
});

function unusedOne(item: CountedCandidate, first: CountedCandidate | undefined, budget: number): OmittedItem {
  const { kind, id, tokens } = item;
  if (first) return { kind, id, tokens, reason: 'duplicate', detail: `nearly repeats ${first.id} of ${first.kind}` };
  const isLarge = Math.min(tokens, ...(item.pieces ?? []).map((piece) => piece.tokens)) > budget;
  const detail = isLarge ? 'is larger than the whole budget' : 'others that fit better took the budget';
  return { kind, id, tokens, reason: 'budget', detail };
}
