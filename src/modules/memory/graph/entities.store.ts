import { Injectable } from '@nestjs/common';
import type { Query } from '../../../common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { Entity, EntityVersion, Part } from './graph.types.js';

/** A version as the write functions answer it: who wrote it and what is known to the caller. */
type StoredHead = Omit<Entity, 'payload' | 'updatedBy'>;

/**
 * Entities and their versions. What takes a tenant is a statement of its own, in one round trip, unless it is given an
 * open unit of work; the rest needs one.
 */
@Injectable()
export class EntitiesStore {
  private readonly alone: Query = (sql, parameters = []) =>
    this.tenancy.write(sql, parameters, parameters[0] as string);

  constructor(private readonly tenancy: Tenancy) {}

  async store(tenant: string, entity: Written & { payload: unknown }, unit = this.alone) {
    const { kind, id, payload, actor, event } = entity;
    const [row] = await unit<HeadRow>('select * from svc_store_entity($1, $2, $3, $4::json, $5, $6)', [
      ...[tenant, kind, id, JSON.stringify(payload), actor, event],
    ]);
    return headOf(row!);
  }

  async retire(tenant: string, { kind, id, actor, event }: Written, unit = this.alone) {
    const [row] = await unit<HeadRow>('select * from svc_delete_entity($1, $2, $3, $4, $5)', [
      ...[tenant, kind, id, actor, event],
    ]);
    return row && headOf(row);
  }

  async find(tenant: string, { kind, id }: EntityName, unit = this.alone): Promise<Entity | undefined> {
    const [row] = await unit<EntityRow>('select * from svc_find_entity($1, $2, $3)', [tenant, kind, id]);
    return row && entityOf(row);
  }

  /** By kind and id. */
  async list(filter: { kind?: string; includeDeleted: boolean }, { after, limit }: Part<[string, string]>) {
    const values: unknown[] = [];
    const bind = (value: unknown) => `$${values.push(value)}`;
    const conditions = [
      ...(filter.kind === undefined ? [] : [`e.kind = ${bind(filter.kind)}`]),
      ...(filter.includeDeleted ? [] : ['not e.is_deleted']),
      ...(after ? [`(e.kind, e.id) > (${bind(after[0])}, ${bind(after[1])})`] : []),
    ];
    const rows = await this.tenancy.query<EntityRow>(
      `select e.kind, e.id, e.version, v.payload, e.is_deleted, e.created_at, e.updated_at, v.stored_by as updated_by
       from (select * from graph_entity e where ${['true', ...conditions].join(' and ')} order by e.kind, e.id limit ${bind(limit)}) e
       join graph_entity_version v using (tenant_id, kind, id, version) order by e.kind, e.id`,
      values,
    );
    return rows.map(entityOf);
  }

  /** Newest first. */
  async listVersions(kind: string, id: string, { after, limit }: Part<number>): Promise<EntityVersion[]> {
    const rows = await this.tenancy.query<VersionRow>(
      `select kind, id, version, payload, is_deleted, stored_at, stored_by from graph_entity_version
       where kind = $1 and id = $2 and version < $3::bigint order by version desc limit $4`,
      [kind, id, after ?? MAX_INTEGER, limit],
    );
    return rows.map((row) => ({
      kind: row.kind,
      id: row.id,
      version: row.version,
      payload: row.payload,
      isDeleted: row.is_deleted,
      storedAt: row.stored_at,
      storedBy: row.stored_by,
    }));
  }
}

interface EntityName {
  kind: string;
  id: string;
}

/** What is written, by whom, and the id of the event that reports it. */
interface Written extends EntityName {
  actor: string;
  event: string;
}

const MAX_INTEGER = 2 ** 31 - 1;

interface HeadRow {
  kind: string;
  id: string;
  version: number;
  is_deleted: boolean;
  created_at: Date;
  updated_at: Date;
}

interface EntityRow extends HeadRow {
  payload: unknown;
  updated_by: string;
}

interface VersionRow extends Omit<HeadRow, 'created_at' | 'updated_at'> {
  payload: unknown;
  stored_at: Date;
  stored_by: string;
}

const headOf = (row: HeadRow): StoredHead => ({
  kind: row.kind,
  id: row.id,
  version: row.version,
  isDeleted: row.is_deleted,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const entityOf = (row: EntityRow): Entity => ({ ...headOf(row), payload: row.payload, updatedBy: row.updated_by });
