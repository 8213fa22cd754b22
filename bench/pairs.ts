import { quantile } from './measures.js';

/** What one build did in one slice of time. */
export interface Slice {
  done: number;
  seconds: number;
  failed: number;
  /** Processor time of all processes of the server, what it did in the background included; undefined: not known. */
  processor?: number | undefined;
}

export interface Pair {
  before: Slice;
  after: Slice;
}

/** Rates are per second; ratios are after over before. */
export interface Compared {
  what: string;
  pairs: number;
  before: number;
  after: number;
  /** Of all pairs together: the one that counts. */
  ratio: number;
  /** Of single pairs. */
  lowest: number;
  middle: number;
  highest: number;
  /** Processor time for each thing done: the ratio that a busy machine disturbs least. */
  processor?: number | undefined;
  failed: number;
}

const total = (slices: readonly Slice[], of: (slice: Slice) => number): number =>
  slices.reduce((sum, slice) => sum + of(slice), 0);
const rate = (slices: readonly Slice[]): number =>
  total(slices, ({ done }) => done) / total(slices, ({ seconds }) => seconds);
const cost = (slices: readonly Slice[]): number =>
  total(slices, ({ processor }) => processor ?? Number.NaN) / total(slices, ({ done }) => done);

export function compare(what: string, pairs: readonly Pair[]): Compared {
  const [before, after] = [pairs.map((pair) => pair.before), pairs.map((pair) => pair.after)];
  const single = Float64Array.from(pairs, (pair) => rate([pair.after]) / rate([pair.before])).sort();
  const processor = cost(after) / cost(before);
  return {
    what,
    pairs: pairs.length,
    before: rate(before),
    after: rate(after),
    ratio: rate(after) / rate(before),
    lowest: single[0]!,
    middle: quantile(single, 0.5),
    highest: single.at(-1)!,
    processor: Number.isNaN(processor) ? undefined : processor,
    failed: total(before, ({ failed }) => failed) + total(after, ({ failed }) => failed),
  };
}
