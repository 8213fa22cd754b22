import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { IDENTIFIER_KEYS } from './identifiers.rules.js';
import type { Identifier } from './identity.types.js';

/** As the migration that made the index fact_identifier writes them, so that the planner finds it. */
const KEYS = IDENTIFIER_KEYS.map((key) => `'${key}'`).join(', ');
/** What everybody in the tenant may see, holds now, and no incident has set aside. */
const CURRENT = `f.key in (${KEYS}) and f.visibility = 0 and f.deleted_at is null and not f.tombstone
  and f.superseded_by is null and not f.quarantined and (f.valid_from is null or f.valid_from <= now()) and (f.ends_at is null or f.ends_at > now())`;
const OF_FACTS = `select f.entity, 'fact' as source, f.key, f.fact_id::text as ref, f.value from fact f`;
const OF_PASSPORTS = `select 'passport:' || p.passport_id as entity, 'passport' as source, 'key_fingerprint' as key, p.passport_id as ref, p.fingerprint as value
  from passport p where p.tenant_id = $1 and p.fingerprint is not null and p.revoked_at is null`;
const OF_SEATS = `select 'seat:' || s.seat_id as entity, 'seat' as source, 'email' as key, s.seat_id::text as ref, s.user_email as value
  from seat s where s.tenant_id = $1 and s.status = 'active'`;

/** What can be identifiers, in the open unit of work's tenant. Call in a unit of work. */
@Injectable()
export class IdentityStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** Of all entities. @param limit of those in facts; where there are so many, there may be more */
  listIdentifiers(limit: number): Promise<Identifier[]> {
    return this.tenancy.query<Identifier>(
      `(${OF_FACTS} where f.tenant_id = $1 and ${CURRENT} order by f.seq limit $2)
       union all ${OF_PASSPORTS} union all ${OF_SEATS}`,
      [this.tenancy.tenant, limit],
    );
  }

  /** Of these entities. */
  findIdentifiers(entities: readonly string[]): Promise<Identifier[]> {
    return this.tenancy.query<Identifier>(
      `select found.* from unnest($2::text[]) as named (entity) cross join lateral (
         ${OF_FACTS} join fact_head h on h.tenant_id = f.tenant_id and h.seq = f.seq and h.chain = f.chain
         where h.tenant_id = $1 and h.entity_start = left(named.entity, 200) and h.entity = named.entity and ${CURRENT}
       ) found
       union all select p.* from (${OF_PASSPORTS}) p where p.entity = any($2::text[])
       union all select s.* from (${OF_SEATS}) s where s.entity = any($2::text[])`,
      [this.tenancy.tenant, entities],
    );
  }

  /** Those pairs that there is a row of, whatever was decided. */
  findKnown(pairs: readonly { entity: string; other: string }[]): Promise<{ entity: string; other: string }[]> {
    return this.tenancy.query(
      `select l.entity, l.other from unnest($2::text[], $3::text[]) as p (entity, other)
       join identity_link l on l.tenant_id = $1 and l.entity = p.entity and l.other = p.other`,
      [this.tenancy.tenant, pairs.map(({ entity }) => entity), pairs.map(({ other }) => other)],
    );
  }

  /** An entity and all that links lead to, over others too, by their names. */
  async findSet(entity: string, limit: number): Promise<string[]> {
    const rows = await this.tenancy.query<{ entity: string }>(
      `with recursive linked (entity) as (
         select $2::text collate "C"
         union
         select case when l.entity = s.entity then l.other else l.entity end from linked s
         join identity_link l on l.tenant_id = $1 and l.status = 'linked' and s.entity in (l.entity, l.other)
       )
       select entity from (select entity from linked limit $3) s order by entity`,
      [this.tenancy.tenant, entity, limit],
    );
    return rows.map((row) => row.entity);
  }
}
