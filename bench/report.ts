import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { LoadResult } from './load.types.js';

/** Rises when a report of before cannot be compared any more. */
export const FORMAT = 2;

const seriesSchema = z.object({
  /** What was measured, unique in its report. */
  name: z.string(),
  unit: z.string(),
  better: z.enum(['lower', 'higher']),
  /** What stands for the samples: the median, or the mean where a sample is a share, mostly 0 or 1. */
  average: z.enum(['median', 'mean']),
  /** Each single measurement, in the order of their ends. */
  samples: z.array(z.number().nonnegative()).nonempty(),
});

const machineSchema = z.object({
  cpu: z.string(),
  cores: z.number(),
  memoryMiB: z.number(),
  system: z.string(),
  node: z.string(),
  /** Of the temporary servers; null where there were none. */
  postgres: z.string().nullable(),
  /** Processes that wanted to run, over a minute. */
  load: z.object({ before: z.number(), after: z.number() }),
});

/** What every report has, in addition to what its benchmark prints. */
const reportSchema = z.object({
  format: z.literal(FORMAT),
  bench: z.string(),
  started: z.iso.datetime(),
  ended: z.iso.datetime(),
  /** Of the checkout; null outside of one, and then `dirty` is null too. */
  commit: z.string().nullable(),
  /** Whether files were changed. */
  dirty: z.boolean().nullable(),
  machine: machineSchema,
  settings: z.record(z.string(), z.json()),
  series: z.array(seriesSchema),
});

export type Series = z.infer<typeof seriesSchema>;
export type BenchReport = z.infer<typeof reportSchema>;

/** @throws Error naming the file, and the member that is not as a report has it */
export function readReport(file: string): BenchReport {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`${file} is no report: ${(error as Error).message}`);
  }
  const { data, error } = reportSchema.safeParse(value);
  if (data) return data;
  const [{ path, message }] = error.issues as [z.core.$ZodIssue];
  throw new Error(`${file} is no report of a benchmark: ${path.join('.') || 'the whole'}: ${message}`);
}

type Measure = Omit<Series, 'name' | 'samples'>;
type Samples = readonly (number | undefined)[];

/** One of the makers below. A sample that is no number says nothing and is left out. */
const maker =
  (measure: Measure) =>
  (name: string, samples: Samples): Series => ({
    name,
    ...measure,
    samples: samples.filter((sample) => sample !== undefined && Number.isFinite(sample)) as [number, ...number[]],
  });

export const milliseconds = maker({ unit: 'ms', better: 'lower', average: 'median' });
export const seconds = maker({ unit: 's', better: 'lower', average: 'median' });
export const perSecond = maker({ unit: '/s', better: 'higher', average: 'median' });
export const mebibytes = maker({ unit: 'MiB', better: 'lower', average: 'median' });
/** What there should be little of. */
export const count = maker({ unit: '', better: 'lower', average: 'mean' });
/** From 0 to 1: of each question whether it went well, or how well. */
export const share = maker({ unit: '', better: 'higher', average: 'mean' });
/** From 0 to 1: of each question whether it went wrong. */
export const faultShare = maker({ unit: '', better: 'lower', average: 'mean' });

/** What came of a load: each latency, and the rate. */
export const loadSeries = (name: string, { samples, perSecond: rate }: LoadResult): Series[] => [
  milliseconds(name, samples),
  perSecond(`${name}: rate`, [rate]),
];
