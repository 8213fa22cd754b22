import { Injectable } from '@nestjs/common';
import { CrossTenant } from '../../../../common/tenancy/cross-tenant.js';

/**
 * Something of the upstream, by kind and id. An answer is an artefact, as it can be asked for as either; `agent` stands
 * for its last retrieval.
 */
export interface Claim {
  kind: 'job' | 'receipt' | 'artefact' | 'agent';
  id: string;
}
export type Holder = 'self' | 'other' | 'nobody';

/**
 * Which tenant of this server uses which ids of the upstream. All of them call it under one tenant of the upstream, so
 * that alone would let one tenant read what another had proven: the first to use an id keeps it.
 */
@Injectable()
export class UpstreamClaimsStore {
  constructor(private readonly crossTenant: CrossTenant) {}

  async holder(tenantId: string, claim: Claim): Promise<Holder> {
    const holders = await this.crossTenant.run('proof upstream', (query) =>
      query<{ tenant_id: string }>('select tenant_id from proof_upstream_claim where kind = $1 and id = $2', [
        claim.kind,
        claim.id,
      ]),
    );
    if (holders.length === 0) return 'nobody';
    return holders.some((row) => row.tenant_id === tenantId) ? 'self' : 'other';
  }

  /** Takes the ids for the tenant. @returns false, and takes none, when another tenant holds one of them */
  take(tenantId: string, claims: readonly Claim[]): Promise<boolean> {
    const ordered = [...claims].sort((a, b) => (a.kind + a.id < b.kind + b.id ? -1 : 1));
    return this.crossTenant.run('proof upstream', async (query) => {
      for (const { kind, id } of ordered) {
        await query(
          `select pg_advisory_xact_lock(hashtextextended(jsonb_build_array('proof', $1::text, $2::text)::text, 0))`,
          [kind, id],
        );
      }
      const kinds = ordered.map(({ kind }) => kind);
      const ids = ordered.map(({ id }) => id);
      const wanted = 'select * from unnest($2::text[], $3::text[]) as w(kind, id)';
      const held = await query<object>(
        `select from proof_upstream_claim where tenant_id <> $1 and (kind, id) in (${wanted}) limit 1`,
        [tenantId, kinds, ids],
      );
      if (held.length > 0) return false;
      await query(
        `insert into proof_upstream_claim (tenant_id, kind, id) select $1, w.kind, w.id from (${wanted}) w on conflict do nothing`,
        [tenantId, kinds, ids],
      );
      return true;
    });
  }
}
