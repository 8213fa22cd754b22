import { CONTEXT_KINDS, type ContextKind, type CountedCandidate, type OmittedItem } from './context.types.js';

/** What the best of a kind is worth before others of it are chosen. Layers are not built. */
const WEIGHTS: Readonly<Record<ContextKind, number>> = {
  facts: 1,
  passages: 1,
  engrams: 1,
  cases: 0.9,
  work: 0.6,
  layers: 1,
};
/** Each item that was chosen makes the next of its kind worth so much less: no kind crowds out the others. */
const DECAY = 0.97;
/**
 * Added to the tokens of an item before its worth is divided by them: with less, short items that say little come
 * before long ones that answer (docs/memory-bench.md).
 */
const OVERHEAD = 400;

interface Weighed {
  item: CountedCandidate;
  /** The square of its share of the best score of its kind, times the weight of the kind: weak matches add little. */
  worth: number;
}

export interface Assembly {
  items: CountedCandidate[];
  omitted: OmittedItem[];
  tokens: number;
}

/**
 * Chooses whole items until the budget is full: the one with the greatest worth by token first, those of a kind worth
 * less the more of it there are. The same items and budget give the same assembly, in whatever order they come.
 */
export function assemble(candidates: readonly CountedCandidate[], budget: number): Assembly {
  const { unique, omitted } = withoutDuplicates(candidates);
  const left = new Map(CONTEXT_KINDS.map((kind) => [kind, weigh(unique.filter((item) => item.kind === kind))]));
  const items: CountedCandidate[] = [];
  let tokens = 0;
  for (;;) {
    const next = bestOf(left, items, budget - tokens);
    if (!next) break;
    items.push(next);
    tokens += next.tokens;
  }
  const chosen = new Set(items);
  const tooMuch = unique.filter((item) => !chosen.has(item)).map((item) => withoutPlace(item, budget));
  return { items, omitted: [...omitted, ...tooMuch], tokens };
}

/** Takes the best that fits out of what is left. */
function bestOf(
  left: ReadonlyMap<ContextKind, Weighed[]>,
  items: readonly CountedCandidate[],
  within: number,
): CountedCandidate | undefined {
  let best: { of: Weighed[]; at: number; value: number } | undefined;
  for (const kind of CONTEXT_KINDS) {
    const of = left.get(kind)!;
    const at = of.findIndex(({ item }) => item.tokens <= within);
    if (at < 0) continue;
    const { item, worth } = of[at]!;
    const value = (worth * DECAY ** items.filter((one) => one.kind === item.kind).length) / (item.tokens + OVERHEAD);
    if (!best || value > best.value) best = { of, at, value };
  }
  return best?.of.splice(best.at, 1)[0]?.item;
}

/** Most worth by token first; of equal ones the lesser id, so that the order in which they came does not matter. */
function weigh(items: readonly CountedCandidate[]): Weighed[] {
  const most = Math.max(...items.map(({ score }) => score), Number.MIN_VALUE);
  const weighed = items.map((item) => ({ item, worth: WEIGHTS[item.kind] * (item.score / most) ** 2 }));
  const value = ({ item, worth }: Weighed): number => worth / (item.tokens + OVERHEAD);
  return weighed.sort((a, b) => value(b) - value(a) || (a.item.id < b.item.id ? -1 : 1));
}

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

const withoutPlace = ({ kind, id, tokens }: CountedCandidate, budget: number): OmittedItem => ({
  ...{ kind, id, tokens, reason: 'budget' },
  detail: tokens > budget ? 'is larger than the whole budget' : 'others that fit better took the budget',
});
