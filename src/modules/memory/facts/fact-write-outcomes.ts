import { DatabaseError } from 'pg';
import { QueryFailedError } from 'typeorm';
import type { Misfit } from './fact-receipts.js';
import type { ReplacedFact, StoredFact } from './facts.types.js';

const MISFIT = 'SF001';
const NOT_EXPECTED = 'SF002';

/** Facts that were not stored, since not the fact is current that they expect. */
export class NotExpected extends Error {
  constructor(readonly factIds: readonly string[]) {
    super('not the expected fact is current');
  }
}

/** What a fact superseded, by the fact's place among all from 1. */
export interface ReplacedRow {
  by_place: number;
  replaced_id: string;
  beginning: string;
  is_cut: boolean;
  replaced_version: number;
  replaced_at: Date;
}

/** The current fact of a tenant's owner, entity and key, as a ReplacedRow. */
export const CURRENT = `
  select 0 as by_place, f.fact_id as replaced_id, left(f.value, 200) as beginning, length(left(f.value, 201)) > 200 as is_cut,
    f.version as replaced_version, f.stored_at as replaced_at
  from fact_head h join fact f on f.tenant_id = h.tenant_id and f.seq = h.seq
  where h.tenant_id = $1 and h.chain = svc_fact_chain($2, $3, $4) and h.records > 0`;

/** @throws the error itself, where it is another; NotExpected */
export function misfitOf(error: unknown): Misfit {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  if (!(cause instanceof DatabaseError) || cause.detail === undefined) throw error;
  if (cause.code === NOT_EXPECTED) throw new NotExpected(JSON.parse(cause.detail) as string[]);
  if (cause.code !== MISFIT) throw error;
  return JSON.parse(cause.detail) as Misfit;
}

export const replacedBy = (row: ReplacedRow): ReplacedFact => ({
  fact_id: row.replaced_id,
  value: row.beginning,
  ...(row.is_cut ? { value_truncated: true } : {}),
  version: row.replaced_version,
  stored_at: row.replaced_at.toISOString(),
});

export function withReplaced(rows: readonly ReplacedRow[], stored: StoredFact[]): StoredFact[] {
  for (const row of rows) stored[row.by_place - 1]!.replaces = replacedBy(row);
  return stored;
}
