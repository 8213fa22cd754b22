import { quantile } from './measures.js';
import { seededRandom, type Random } from './random.js';
import type { Series } from './report.js';

/** Samples of a run that follow one another are drawn together: so many draws make a run. */
const BLOCKS = 50;
const RESAMPLES = 1_000;
/** The middle of which is the interval. */
const CONFIDENCE = 0.95;
/** Of fewer samples a median of resamples takes too few values for an interval to mean anything. */
export const FEWEST = 8;
const SEED = 1;

export interface Ratio {
  first: number;
  second: number;
  /** Of the second to the first; undefined where the first is 0. */
  ratio: number | undefined;
  /** Of the ratio; undefined where either has too few samples. */
  interval: { low: number; high: number } | undefined;
}

/**
 * The ratio of the averages of two series, with the percentile interval of the bootstrap (Efron and Tibshirani, An
 * Introduction to the Bootstrap, 1993, chapter 13). Latencies of one run depend on those just before them, so that
 * drawing single ones would make the interval too narrow: blocks of samples that follow one another are drawn
 * (Carlstein, The use of subseries values for estimating the variance of a general statistic from a stationary
 * sequence, Annals of Statistics 14, 1986). What differs from run to run is not in the samples of one, and so not in
 * the interval either. The same samples give the same interval.
 */
export function compareSamples(first: Series, second: Series): Ratio {
  const [a, b] = [new Resampled(first), new Resampled(second)];
  const averages = { first: a.average(), second: b.average() };
  const whole = ratioOf(averages.second, averages.first);
  const ratio = Number.isFinite(whole) ? whole : undefined;
  if (ratio === undefined || Math.min(first.samples.length, second.samples.length) < FEWEST)
    return { ...averages, ratio, interval: undefined };
  const random = seededRandom(SEED);
  const ratios = Float64Array.from({ length: RESAMPLES }, () => ratioOf(b.draw(random), a.draw(random))).sort();
  const [low, high] = [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2].map((q) => quantile(ratios, q)) as [number, number];
  return { ...averages, ratio, interval: { low, high } };
}

const ratioOf = (second: number, first: number): number => (second === first ? 1 : second / first);

/** The samples of a series, sorted once, so that a resample is a walk over them with the weights of their blocks. */
class Resampled {
  private readonly sorted: Float64Array;
  private readonly blockOf: Uint8Array;
  private readonly sizes: Uint32Array;
  private readonly weights: Uint16Array;

  constructor(private readonly series: Series) {
    const { samples } = series;
    const blocks = Math.min(BLOCKS, samples.length);
    const order = Uint32Array.from(samples, (_, i) => i).sort((a, b) => samples[a]! - samples[b]!);
    this.sorted = Float64Array.from(order, (i) => samples[i]!);
    this.blockOf = Uint8Array.from(order, (i) => Math.floor((i * blocks) / samples.length));
    this.sizes = new Uint32Array(blocks);
    for (const block of this.blockOf) this.sizes[block]! += 1;
    this.weights = new Uint16Array(blocks);
  }

  average(): number {
    this.weights.fill(1);
    return this.weighted();
  }

  /** Of as many blocks as there are, each of which may come more than once. */
  draw(random: Random): number {
    this.weights.fill(0);
    for (let n = 0; n < this.weights.length; n++) this.weights[Math.floor(random() * this.weights.length)]! += 1;
    return this.weighted();
  }

  private weighted(): number {
    return this.series.average === 'mean' ? this.mean() : this.median();
  }

  private mean(): number {
    let [sum, count] = [0, 0];
    for (let i = 0; i < this.sorted.length; i++) {
      const weight = this.weights[this.blockOf[i]!]!;
      sum += weight * this.sorted[i]!;
      count += weight;
    }
    return sum / count;
  }

  /** By the nearest rank, as the percentiles of the tables are. */
  private median(): number {
    const total = this.sizes.reduce((sum, size, block) => sum + size * this.weights[block]!, 0);
    let [left, i] = [total / 2, 0];
    for (; i < this.sorted.length - 1; i++) if ((left -= this.weights[this.blockOf[i]!]!) <= 0) break;
    return this.sorted[i]!;
  }
}
