import { ERASURE_STREAM } from '../../../common/evidence-log/removed-records.js';
import type { Query } from '../../../common/tenancy/cross-tenant.js';
import { type BoundSource, sourcesDigest } from '../../../evidence/fact-leaf.js';

interface SourcedRow {
  readonly tenant_id: string;
  readonly fact_id: string;
  readonly sources_digest: string | null;
}

/**
 * The facts whose sources are not those of the digest that their receipts bind. An erasure of a subject removes the
 * sources that name it, and leaves the digest: those of a tenant that had one are let be.
 */
export async function findOtherSources<R extends SourcedRow>(query: Query, rows: readonly R[]): Promise<R[]> {
  const sourced = rows.filter(({ sources_digest }) => sources_digest !== null);
  if (sourced.length === 0) return [];
  const found = await query<SourceRow>(SOURCES, [
    sourced.map(({ tenant_id }) => tenant_id),
    sourced.map(({ fact_id }) => fact_id),
  ]);
  const sources = Map.groupBy(found, keyOf);
  const others = sourced.filter((row) => sourcesDigest(sources.get(keyOf(row)) ?? []) !== row.sources_digest);
  if (others.length === 0) return [];
  const erased = await query<{ tenant_id: string }>(ERASED, [others.map(({ tenant_id }) => tenant_id), ERASURE_STREAM]);
  return others.filter((row) => !erased.some(({ tenant_id }) => tenant_id === row.tenant_id));
}

interface SourceRow extends BoundSource {
  readonly tenant_id: string;
  readonly fact_id: string;
}

const keyOf = ({ tenant_id, fact_id }: Pick<SourcedRow, 'tenant_id' | 'fact_id'>): string => `${fact_id} ${tenant_id}`;

const SOURCES = `
  select s.tenant_id, s.fact_id, s.kind, s.source_id as id, s.version, s.digest
  from (select distinct * from unnest($1::text[], $2::uuid[]) u (tenant_id, fact_id)) u join fact_source_ref s using (tenant_id, fact_id)
  order by s.tenant_id, s.fact_id, s.position`;
const ERASED = 'select distinct tenant_id from receipt where tenant_id = any($1::text[]) and stream = $2';
