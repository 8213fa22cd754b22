import { availableParallelism } from 'node:os';
import type { IngestResult } from './ingest-load.js';
import type { LoadResult } from './load.types.js';
import { milliseconds, perSecond, type Series } from './report.js';
import { figure, table } from './table.js';

/** One measurement. Rates are per second. */
export interface Measured {
  /** How many passages there are, and of how many tenants. */
  scale: string;
  what: string;
  clients: number;
  perSecond: number;
  /** Milliseconds. */
  p50?: number;
  p95?: number;
  p99?: number;
  failed?: number;
  /** This rate over that of the same search called in the measuring process: no HTTP, no guards. */
  ofInProcess?: number;
  /** This rate over the bare limit: a bare Fastify route with the same JSON, or a bare insert of the same rows. */
  ofBare?: number;
  /** Latencies, in milliseconds. */
  samples?: number[];
  /** Of calls of a tool: this p50 over that of the same request sent to the API directly. */
  ofDirect?: number;
}

export interface Report {
  text: string;
  rows: Measured[];
  /** p50 at the largest number of passages over p50 at the smallest, lane light, 8 clients. */
  growthOfP50?: number;
  remarks: string[];
}

/** Of each row its latencies, where it has them, and its rate. */
export const rowSeries = (rows: readonly Measured[]): Series[] =>
  rows.flatMap(({ what, scale, clients, samples, perSecond: rate }) => {
    const name = `${what}, ${scale}, ${clients} clients`;
    return [...(samples ? [milliseconds(name, samples)] : []), perSecond(`${name}: rate`, [rate])];
  });

export const loadRow = (scale: string, what: string, clients: number, result: LoadResult): Measured => {
  const { perSecond, p50, p95, p99, failed, samples } = result;
  return { scale, what, clients, perSecond, p50, p95, p99, failed, samples };
};

export const ingestRow = (scale: string, what: string, result: IngestResult, bare?: number): Measured => ({
  scale,
  what,
  clients: 2,
  perSecond: result.perSecond,
  ofBare: bare && result.perSecond / bare,
});

export function describeReport({ text, rows, growthOfP50, remarks }: Report): string {
  const head = [
    'measured',
    'passages',
    'clients',
    'per second',
    'p50 ms',
    'p95 ms',
    'p99 ms',
    '/ in process',
    '/ bare',
    'p50 / direct',
  ];
  const cells = rows.map((row) => [
    row.what,
    row.scale,
    figure(row.clients),
    figure(row.perSecond),
    figure(row.p50, 1),
    figure(row.p95, 1),
    figure(row.p99, 1),
    figure(row.ofInProcess, 2),
    figure(row.ofBare, 2),
    figure(row.ofDirect, 2),
  ]);
  const failures = rows.filter(({ failed }) => failed).map(({ what, failed }) => `${what}: ${failed} requests failed`);
  const growth =
    growthOfP50 === undefined
      ? []
      : [`p50 at the most passages / p50 at the fewest, light, 8 clients: ${figure(growthOfP50, 2)}`];
  return [
    `Text: ${text}; about 200 tokens a passage, 20 words a query, 10 results. ${availableParallelism()} cores, Node.js ${process.versions.node}; everything on this machine.`,
    '',
    table(head, cells),
    ...growth,
    ...remarks,
    ...failures,
    '',
  ].join('\n');
}
