import type { Tenancy } from '../../../common/tenancy/tenancy.js';
import { prefixRange } from './facts.rules.js';
import { VISIBILITY, type FactReader, type Visibility } from './facts.types.js';

/** The parameters of a statement that is put together of parts. */
export class Parameters {
  readonly values: unknown[] = [];

  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/** Rows that stand together in an index: one visibility, of one owner (undefined: any owner). */
export interface Range {
  visibility: Visibility;
  owner: string | undefined;
}

/** What a reader may see, as ranges of the indexes. */
export function rangesOf({ principal, seesAll }: FactReader, includeReserved: boolean): Range[] {
  const owner = seesAll ? undefined : principal;
  return [
    { visibility: VISIBILITY.public, owner: undefined },
    { visibility: VISIBILITY.private, owner },
    ...(includeReserved ? [{ visibility: VISIBILITY.reserved, owner }] : []),
  ];
}

export const inRange = (alias: string, { visibility, owner }: Range, parameters: Parameters): string =>
  `${alias}.visibility = ${visibility}${owner === undefined ? '' : ` and ${alias}.owner = ${parameters.add(owner)}`}`;

export const inRanges = (alias: string, ranges: readonly Range[], parameters: Parameters): string =>
  `(${ranges.map((range) => inRange(alias, range, parameters)).join(' or ')})`;

/** Heads of the entities whose names begin so; the first part is what the index can find. */
export function hasPrefix(alias: string, prefix: string, parameters: Parameters): string {
  const { from, until } = prefixRange(prefix);
  const bounds = [
    `${alias}.entity_start >= ${parameters.add(from)}`,
    ...(until === undefined ? [] : [`${alias}.entity_start < ${parameters.add(until)}`]),
  ];
  return [...bounds, `starts_with(${alias}.entity, ${parameters.add(prefix)})`].join(' and ');
}

export function isEntity(alias: string, entity: string, parameters: Parameters): string {
  const name = parameters.add(entity);
  return `${alias}.entity_start = left(${name}::text, 200) and ${alias}.entity = ${name}`;
}

/** A milliseconds count as a time that PostgreSQL has: what is beyond its years is at their end. */
const EARLIEST_MS = Date.UTC(-4000, 0, 1);
const LATEST_MS = Date.UTC(9999, 11, 31);
export const timeOf = (ms: number): Date => new Date(Math.min(Math.max(ms, EARLIEST_MS), LATEST_MS));

/**
 * The columns of a FactRow; `isCut` is an SQL condition under which only the first `kept` characters of the value are
 * read.
 */
export const factColumns = (isCut: string, kept: number): string => `
  f.seq, f.fact_id, f.version, f.visibility, f.entity, f.key, case when ${isCut} then left(f.value, ${kept}) else f.value end as value,
  ${isCut} as value_truncated, f.actor, f.actor_claimed, f.written_by, f.confidence, f.horizon_class, f.tokens, f.tenant_hash, f.source_receipt, f.stored_at, f.valid_from,
  f.valid_to, f.superseded_by, f.receipt_id, f.sources_digest`;

/**
 * For the rest of the open unit of work, rows are found by indexes and in their order. The statistics of a table that
 * grew a moment ago are those of a small one; by them the planner would read it whole and sort it.
 */
export const followIndexes = (tenancy: Tenancy): Promise<unknown> =>
  tenancy.query(
    `select ${['sort', 'seqscan', 'bitmapscan', 'hashjoin', 'mergejoin'].map((way) => `set_config('enable_${way}', 'off', true)`).join(', ')}`,
  );
