import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { followIndexes } from './fact-sql.js';
import type { OwnedFact, OwnedHead, OwnedName, OwnedSize, OwnedVersion } from './owned-facts.types.js';

/** Facts of one owner by their exact names, of the open unit of work's tenant; what is set aside is not among them. */
@Injectable()
export class OwnedFactsStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** Nobody else writes to the chain through OwnedFactsService until the unit of work ends. */
  lock({ owner, entity, key }: OwnedName): Promise<void> {
    return this.tenancy.lock('owned fact', owner, entity, key);
  }

  /** @returns undefined for what was never stored */
  async findHead({ owner, entity, key }: OwnedName): Promise<OwnedHead | undefined> {
    const [row] = await this.query<OwnedHead>(
      'select h.version, h.records > 0 as current, h.chain from fact_head h where h.tenant_id = $1 and h.chain = svc_fact_chain($2, $3, $4)',
      [owner, entity, key],
    );
    return row;
  }

  /** The current fact of a name, if there is one. */
  async find({ owner, entity, key }: OwnedName): Promise<OwnedFact | undefined> {
    const [row] = await this.query<OwnedFact>(`${CURRENT} and h.chain = svc_fact_chain($2, $3, $4)`, [
      owner,
      entity,
      key,
    ]);
    return row;
  }

  /** The current facts of an entity, by key. */
  list(owner: string, entity: string, after: string, take: number): Promise<OwnedFact[]> {
    return this.query<OwnedFact>(`${CURRENT} and ${OF_ENTITY} and f.key > $4 order by f.key limit $5`, [
      owner,
      entity,
      after,
      take,
    ]);
  }

  /** How many facts an entity has, and their bytes, without the fact of one key. */
  async measure({ owner, entity, key }: OwnedName): Promise<OwnedSize> {
    const [row] = await this.query<OwnedSize>(
      `select count(*)::int as count, coalesce(sum(octet_length(f.value)), 0)::float8 as bytes ${FROM} and ${OF_ENTITY} and f.key <> $4`,
      [owner, entity, key],
    );
    return row!;
  }

  /** The versions of a name, newest first, deletions too, without their values. */
  listVersions({ owner, entity, key }: OwnedName, before: number, take: number): Promise<OwnedVersion[]> {
    return this.query<OwnedVersion>(
      `select f.seq, f.fact_id, f.version, octet_length(f.value) as bytes, f.tombstone, f.written_by, f.stored_at, f.receipt_id from fact f
       where f.tenant_id = $1 and f.chain = svc_fact_chain($2, $3, $4) and f.version < $5 and not f.quarantined order by f.version desc limit $6`,
      [owner, entity, key, before, take],
    );
  }

  async readValues(seqs: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.query<{ seq: string; value: string }>(
      'select f.seq, f.value from unnest($2::bigint[]) s(seq) join fact f on f.tenant_id = $1 and f.seq = s.seq',
      [seqs],
    );
    return new Map(rows.map(({ seq, value }) => [seq, value]));
  }

  private async query<Row>(sql: string, parameters: unknown[]): Promise<Row[]> {
    await followIndexes(this.tenancy);
    return this.tenancy.query<Row>(sql, [this.tenancy.tenant, ...parameters]);
  }
}

const FROM = `from fact_head h
  cross join lateral (select f.* from fact f where f.tenant_id = $1 and f.seq = h.seq offset 0) f
  where h.tenant_id = $1 and h.records > 0 and h.owner = $2`;
const OF_ENTITY = 'h.entity_start = left($3::text, 200) and h.entity = $3';
const CURRENT = `select f.fact_id, f.key, f.value, f.version, f.visibility > 0 as private, f.written_by, f.stored_at, f.receipt_id, octet_length(f.value) as bytes ${FROM}`;
