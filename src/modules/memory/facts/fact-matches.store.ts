import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { FactDraft, FactMatch } from './facts.types.js';

interface MatchRow {
  is_held: boolean;
  is_latest: boolean;
  is_earlier: boolean;
}

/** Compares facts with those of the tenant in the open unit of work. What is set aside counts as held. */
@Injectable()
export class FactMatchesStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** @returns in the order of the drafts */
  async find(drafts: readonly FactDraft[]): Promise<FactMatch[]> {
    const names = drafts.map(({ owner, entity, key, value, valid_from }) => ({
      owner,
      entity,
      key,
      value,
      valid_from,
    }));
    const rows = await this.tenancy.query<MatchRow>(MATCHES, [this.tenancy.tenant, JSON.stringify(names)]);
    return rows.map((row) => ({ isHeld: row.is_held, isLatest: row.is_latest, isEarlier: row.is_earlier }));
  }
}

/** Each head, its last record, and the earlier versions of its chain by their key. */
const MATCHES = `
  select h.chain is not null as is_held, coalesce(l.value = i.value, false) as is_latest, e.found is not null as is_earlier
  from (
    select n.place, f.*, svc_fact_chain(f.owner, f.entity, f.key) as chain
    from json_array_elements($2::json) with ordinality n (fact, place)
    cross join lateral json_to_record(n.fact) f (owner text, entity text, key text, value text, valid_from timestamptz)
  ) i
  left join fact_head h on h.tenant_id = $1 and h.chain = i.chain and h.records > 0
  left join fact l on l.tenant_id = $1 and l.seq = h.seq
  left join lateral (
    select true as found from fact v
    where v.tenant_id = $1 and v.chain = h.chain and v.version < h.version and v.deleted_at is null and not v.tombstone
      and coalesce(v.valid_from, v.stored_at) = i.valid_from and v.value = i.value
    limit 1
  ) e on true
  order by i.place`;
