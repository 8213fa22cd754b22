/** BM25 term-frequency saturation and length normalisation (Robertson and Zaragoza 2009, section 3.2). */
export const K1 = 1.2;
export const B = 0.75;

/** Chunk lengths enter the ranking up to this many terms; chunks are a few hundred, so only broken input is longer. */
export const MAX_LENGTH = 0xffff;
/** Occurrences of a term in one chunk count up to this. */
export const MAX_FREQUENCY = 0xffff;

/** What a chunk of today adds to its score, and how many days halve that. */
const RECENCY_WEIGHT = 0.05;
const RECENCY_HALF_LIFE_DAYS = 180;

const MS_A_DAY = 86_400_000;
const MAX_AGE_DAYS = 36_500;
/** Recency by age in whole days: a table, so that a score never depends on how it was reached. */
const RECENCY = Float64Array.from(
  { length: MAX_AGE_DAYS + 1 },
  (_, age) => RECENCY_WEIGHT * Math.pow(2, -age / RECENCY_HALF_LIFE_DAYS),
);

/** Days since 1970-01-01 UTC. */
export function utcDay(time: Date): number {
  return Math.floor(time.getTime() / MS_A_DAY);
}

/** 0.05 * 2^(-age / 180), age in whole UTC days; a day in the future counts as today. */
export function recency(day: number, today: number): number {
  return RECENCY[Math.min(Math.max(today - day, 0), MAX_AGE_DAYS)]!;
}

/** Inverse document frequency, never negative: ln(1 + (N - df + 0.5) / (df + 0.5)). */
export function inverseDocumentFrequency(chunks: number, frequency: number): number {
  return Math.log(1 + (chunks - frequency + 0.5) / (frequency + 0.5));
}

/** The part of the denominator that depends on the chunk's length: k1 * (1 - b + b * length / average). */
export function lengthNorm(length: number, averageLength: number): number {
  return K1 * (1 - B + (B * length) / averageLength);
}

let table = new Float64Array(0);
let tableAverage = Number.NaN;

/**
 * {@link lengthNorm} for every length from 0 to `longest`. The last table is kept: consecutive queries mostly share
 * their average. The average length changes with every commit, the table is small, so one is enough.
 */
export function lengthNorms(averageLength: number, longest: number): Float64Array {
  if (tableAverage === averageLength && table.length > longest) return table;
  table = new Float64Array(longest + 1);
  for (let length = 0; length <= longest; length++) table[length] = lengthNorm(length, averageLength);
  tableAverage = averageLength;
  return table;
}
