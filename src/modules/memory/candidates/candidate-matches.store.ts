import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { FactReader } from '../facts/facts.types.js';
import type { Statement } from './standing.rules.js';

/** Of a longer value only so much is compared: no candidate has more. */
const COMPARED = 65_537;

interface Name {
  entity: string;
  key: string;
  /** Hexadecimal digest of both. */
  name: string;
}

/** What candidates are compared with. Needs an open unit of work. */
@Injectable()
export class CandidateMatchesStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** The current facts of these names that the reader may see. */
  findFacts({ principal }: Pick<FactReader, 'principal'>, names: readonly Name[]): Promise<Statement[]> {
    if (names.length === 0) return Promise.resolve([]);
    return this.tenancy.query<Statement>(FACTS, [
      ...[this.tenancy.tenant, [principal, '']],
      ...[names.map(({ entity }) => entity), names.map(({ key }) => key), names.map(({ name }) => name)],
    ]);
  }

  /** The pending candidates of these names, but for one. */
  findPending(names: readonly Pick<Name, 'name'>[], exceptFor?: string): Promise<Statement[]> {
    if (names.length === 0) return Promise.resolve([]);
    return this.tenancy.query<Statement>(PENDING, [
      ...[this.tenancy.tenant, [...new Set(names.map(({ name }) => name))], exceptFor ?? null],
    ]);
  }

  /** Ends pending candidates of before a time. @returns their ids */
  async expire(days: number, limit: number): Promise<string[]> {
    const rows = await this.tenancy.query<{ candidate_id: string }>(EXPIRE, [this.tenancy.tenant, days, limit]);
    return rows.map(({ candidate_id }) => candidate_id);
  }
}

const FACTS = `
  select f.fact_id as id, left(f.value, ${COMPARED}) as value, w.name, '' as content, f.owner = '' as is_public
  from (select distinct * from unnest($3::text[], $4::text[], $5::text[]) u (entity, key, name)) w
  cross join unnest($2::text[]) o (owner)
  join fact_head h on h.tenant_id = $1 and h.chain = svc_fact_chain(o.owner, w.entity, w.key) and h.records > 0
  join fact f on f.tenant_id = $1 and f.seq = h.seq and f.deleted_at is null and not f.tombstone`;

const PENDING = `
  select c.candidate_id as id, c.value, encode(c.name_digest, 'hex') as name, encode(c.content_digest, 'hex') as content
  from candidate c
  where c.tenant_id = $1 and c.status = 'pending' and c.action = 'store'
    and c.name_digest = any(array(select decode(n, 'hex') from unnest($2::text[]) n)) and c.candidate_id is distinct from $3::uuid`;

const EXPIRE = `
  update candidate c set status = 'expired', decided_at = now(), decided_by = 'svc:candidate-expiry', version = c.version + 1, updated_at = now()
  where c.tenant_id = $1 and c.candidate_id in (
    select o.candidate_id from candidate o where o.tenant_id = $1 and o.status = 'pending' and o.created_at < now() - make_interval(days => $2)
    order by o.candidate_id limit $3 for no key update skip locked)
  returning c.candidate_id`;
