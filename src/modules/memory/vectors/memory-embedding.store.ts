import { Injectable } from '@nestjs/common';
import type { Query } from '../../../common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { MemoryKind } from './memory-kinds.js';

/** Tenants that are returned at once. */
const MAX_TENANTS = 1000;

/** A row beyond what was looked at. */
export interface RowToEmbed {
  /** Its number. */
  id: string;
  item: string;
  /** Null where it is not to be found. */
  text: string | null;
  /** The item that it retires. */
  retires: string | null;
}

export interface EmbeddedRow {
  id: string;
  vector: Float32Array;
}

/** Tenants with rows beyond what was looked at for a space. */
export async function findBehind(query: Query, { kind, table, id }: MemoryKind, spaceId: number): Promise<string[]> {
  const rows = await query<{ tenant_id: string }>(
    `with recursive tenant(tenant_id) as (
       (select r.tenant_id from ${table} r order by r.tenant_id limit 1)
       union all
       select (select r.tenant_id from ${table} r where r.tenant_id > t.tenant_id order by r.tenant_id limit 1)
       from tenant t where t.tenant_id is not null)
     select t.tenant_id from tenant t
     left join memory_vector_state s on s.tenant_id = t.tenant_id and s.space_id = $1 and s.kind = $2
     where t.tenant_id is not null and exists (
       select from ${table} r where r.tenant_id = t.tenant_id and r.${id} > coalesce(s.position, 0))
     limit $3`,
    [spaceId, kind, MAX_TENANTS],
  );
  return rows.map(({ tenant_id: tenantId }) => tenantId);
}

/** What is read and written to embed a tenant's rows of one kind, inside its unit of work. */
@Injectable()
export class MemoryEmbeddingStore {
  private readonly indexed = new Set<number>();

  constructor(private readonly tenancy: Tenancy) {}

  /** Up to where rows were looked at, and the last that there is. */
  async readLine({ kind, table, id }: MemoryKind, spaceId: number): Promise<{ position: number; last: number }> {
    const [row] = await this.tenancy.query<{ position: string; last: string }>(
      `select coalesce((select s.position from memory_vector_state s where s.tenant_id = $1 and s.space_id = $2 and s.kind = $3), 0) as position,
         coalesce((select max(r.${id}) from ${table} r where r.tenant_id = $1), 0) as last`,
      [this.tenancy.tenant, spaceId, kind],
    );
    return { position: Number(row!.position), last: Number(row!.last) };
  }

  /** The transactions that write rows of the tenant at this moment. */
  async findWriters({ writers }: MemoryKind): Promise<string[]> {
    const rows = await this.tenancy.query<{ writer: string }>(writers, [this.tenancy.tenant]);
    return rows.map(({ writer }) => writer);
  }

  /** The first rows after one id and up to another, in their order. */
  find(of: MemoryKind, after: number, upTo: number, limit: number): Promise<RowToEmbed[]> {
    return this.tenancy.query<RowToEmbed>(
      `select r.${of.id}::text as id, (${of.item})::text as item, case when ${of.isWanted} then ${of.text} end as text, ${of.retires}::text as retires
       from ${of.table} r where r.tenant_id = $1 and r.${of.id} > $2 and r.${of.id} <= $3 order by r.${of.id} limit $4`,
      [this.tenancy.tenant, after, upTo, limit],
    );
  }

  /**
   * Moves the position with what was found there. A row that went meanwhile, or has another number by now, is left out:
   * who erases or changes it waits until this is committed, or is waited for.
   * @returns false when somebody else has moved it from there
   */
  async record(
    of: MemoryKind,
    spaceId: number,
    { from, to }: { from: number; to: number },
    { embedded, emptied }: { embedded: readonly EmbeddedRow[]; emptied: readonly string[] },
  ): Promise<boolean> {
    const lastPlace = await this.move(of, spaceId, from, to);
    if (lastPlace === undefined) return false;
    const { tenant } = this.tenancy;
    const ids = embedded.map(({ id }) => id);
    await this.tenancy.query(
      `select from ${of.table} r where r.tenant_id = $1 and r.${of.id} = any ($2::bigint[]) order by r.${of.id} for key share`,
      [tenant, ids],
    );
    const hasPgvector = await this.hasPgvector();
    const vectors = embedded.map(({ vector }) => Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength));
    await this.tenancy.query(
      `insert into memory_vector (tenant_id, space_id, kind, item_id, place, visibility, owner, vector${hasPgvector ? ', embedding' : ''})
       select $1, $2, $3, (${of.item})::text, $4 + e.number, ${of.visibility}, ${of.owner}, e.vector${hasPgvector ? ', e.embedding::vector' : ''}
       from unnest($5::text[], $6::bytea[], $7::text[]) with ordinality e (id, vector, embedding, number)
       join ${of.table} r on r.tenant_id = $1 and r.${of.id} = e.id::bigint
       on conflict (tenant_id, space_id, kind, item_id) do update
         set place = excluded.place, vector = excluded.vector${hasPgvector ? ', embedding = excluded.embedding' : ''}`,
      [
        tenant,
        spaceId,
        of.kind,
        lastPlace,
        ids,
        vectors,
        embedded.map(({ vector }) => (hasPgvector ? literalOf(vector) : '')),
      ],
    );
    await this.tenancy.query(
      `update memory_vector v set vector = null, ${hasPgvector ? 'embedding = null,' : ''} place = $4 + e.number
       from unnest($5::text[]) with ordinality e (id, number)
       where v.tenant_id = $1 and v.space_id = $2 and v.kind = $3 and v.item_id = e.id`,
      [tenant, spaceId, of.kind, lastPlace + embedded.length, emptied],
    );
    await this.tenancy.query(
      `update memory_vector_state set last_place = last_place + $4 where tenant_id = $1 and space_id = $2 and kind = $3`,
      [tenant, spaceId, of.kind, embedded.length + emptied.length],
    );
    return true;
  }

  /** Whether the database compares vectors itself. */
  async hasPgvector(): Promise<boolean> {
    const rows = await this.tenancy.query<object>(
      `select from pg_attribute where attrelid = 'memory_vector'::regclass and attname = 'embedding' and not attisdropped`,
    );
    return rows.length > 0;
  }

  /** Makes the index for vectors of this many dimensions, where the database compares them. */
  async ensureIndex(dimensions: number): Promise<void> {
    if (this.indexed.has(dimensions)) return;
    if (await this.hasPgvector()) await this.tenancy.query('select svc_index_vectors($1)', [dimensions]);
    this.indexed.add(dimensions);
  }

  /** @returns the last place; undefined when the position is another */
  private async move({ kind }: MemoryKind, spaceId: number, from: number, to: number): Promise<number | undefined> {
    const [row] = await this.tenancy.query<{ last_place: string }>(
      `insert into memory_vector_state as s (tenant_id, space_id, kind, position) select $1, $2, $3, $5 where $4::bigint = 0
         or exists (select from memory_vector_state where tenant_id = $1 and space_id = $2 and kind = $3)
       on conflict (tenant_id, space_id, kind) do update set position = $5 where s.position = $4::bigint
       returning s.last_place`,
      [this.tenancy.tenant, spaceId, kind, from, to],
    );
    return row && Number(row.last_place);
  }
}

export const literalOf = (vector: Float32Array): string => `[${vector.join(',')}]`;
