import { Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import type { PageQuery } from '../../../common/fields/page.dto.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { Outbox } from '../../../common/outbox/outbox.js';
import type { Query } from '../../../common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import type {
  EntitiesQuery,
  EntityAddress,
  EntityHistory,
  EntityList,
  EntityRecord,
  EntityReply,
  PutEntity,
} from './entities.dto.js';
import { EntitiesStore } from './entities.store.js';
import { KindRules } from './kind-rules.service.js';
import { EntityChanged, EntityUnknown } from './graph.problems.js';
import type { Entity, EntityVersion } from './graph.types.js';

/** Entities of the caller's tenant. Nothing is overwritten: every change, and the deletion, is a further version. */
@Injectable()
export class EntitiesService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly tenancy: Tenancy,
    private readonly store: EntitiesStore,
    private readonly rules: KindRules,
    private readonly audit: AuditTrail,
    private readonly outbox: Outbox,
  ) {}

  /** @throws ValidationFailed where the payload is not as its kind asks; EntityChanged for another base_version */
  async record(caller: DaemonCaller, { kind, id }: EntityAddress, body: PutEntity): Promise<EntityReply> {
    const payload = await this.rules.prepare(kind, id, body.payload, 'body.payload');
    const base = body.base_version;
    const written = { kind, id, payload, actor: caller.principal, event: uuid() };
    const isMore = base !== undefined || this.rules.hasReceipts(kind);
    const entity = await this.write(caller, isMore, async (tenant, unit) => {
      const head = await this.store.store(tenant, written, unit);
      if (base !== undefined && head.version !== base + 1) throw changed(head, base);
      return this.proven(caller, { ...head, payload, updatedBy: caller.principal });
    });
    this.outbox.announce();
    return { entity: recordOf(entity) };
  }

  /** @throws EntityUnknown */
  async retire(caller: DaemonCaller, { kind, id }: EntityAddress): Promise<EntityReply> {
    const written = { kind, id, actor: caller.principal, event: uuid() };
    const retired = await this.write(caller, this.rules.hasReceipts(kind), async (tenant, unit) => {
      const head = await this.store.retire(tenant, written, unit);
      const entity = await this.store.find(tenant, written, unit);
      if (!head || !entity) throw unknown({ kind, id }, entity);
      // As the deletion left it: who stores it again at this moment makes a version of their own.
      return this.proven(caller, { ...entity, ...head, updatedBy: caller.principal });
    });
    this.outbox.announce();
    return { entity: recordOf(retired) };
  }

  /** @param isMore whether more than the statement of `work` is to be done, or undone, with it */
  private write<T>(
    caller: DaemonCaller,
    isMore: boolean,
    work: (tenant: string, unit?: Query) => Promise<T>,
  ): Promise<T> {
    if (!isMore) return this.tenants.writeAlone(caller, undefined, work);
    return this.tenants.write(caller, undefined, () =>
      work(this.tenancy.tenant, (sql, parameters) => this.tenancy.query(sql, parameters)),
    );
  }

  /** The version that was just written, with its receipt where its kind has them. */
  private async proven(caller: DaemonCaller, entity: Entity): Promise<Entity> {
    const receipt = this.rules.receiptOf(entity.kind, entity);
    if (receipt) await this.audit.recordReceipt(caller, receipt);
    return entity;
  }

  /** @throws EntityUnknown, for a deleted one as well */
  async read(caller: DaemonCaller, { kind, id }: EntityAddress): Promise<EntityReply> {
    const entity = await this.store.find(await this.tenants.enter(caller), { kind, id });
    if (!entity || entity.isDeleted) throw unknown({ kind, id }, entity);
    return { entity: recordOf(entity) };
  }

  async list(caller: DaemonCaller, { kind, limit, cursor, include_deleted }: EntitiesQuery): Promise<EntityList> {
    const after = decodeCursor(cursor, ['text', 'text']);
    const filter = { kind, includeDeleted: include_deleted };
    const rows = await this.tenants.run(caller, undefined, () => this.store.list(filter, { after, limit: limit + 1 }));
    const { page, next_cursor } = takePage(rows, limit, (row) => [row.kind, row.id]);
    return { count: page.length, entities: page.map(recordOf), next_cursor };
  }

  /** Of an entity that never was: none. */
  async listVersions(
    caller: DaemonCaller,
    { kind, id }: EntityAddress,
    { limit, cursor }: PageQuery,
  ): Promise<EntityHistory> {
    const [after] = decodeCursor(cursor, ['integer']) ?? [];
    const part = { after, limit: limit + 1 };
    const rows = await this.tenants.run(caller, undefined, () => this.store.listVersions(kind, id, part));
    const { page, next_cursor } = takePage(rows, limit, (row) => [row.version]);
    return { count: page.length, versions: page.map(versionOf), next_cursor };
  }
}

function unknown({ kind, id }: EntityAddress, deleted: Entity | undefined): EntityUnknown {
  if (!deleted) return new EntityUnknown({ kind, id }, 'Nothing was ever stored under this kind and id in the tenant');
  return new EntityUnknown(
    { kind, id, deleted_version: deleted.version },
    'It was deleted. Its history still shows every version, and PUT creates it again',
  );
}

/** What was stored is undone: it was the version after the present one. */
function changed({ kind, id, version: stored }: Pick<Entity, 'kind' | 'id' | 'version'>, base: number): EntityChanged {
  const version = stored - 1;
  return new EntityChanged(
    { kind, id, version },
    `It is at version ${version} now, not ${base}; read it and decide again`,
  );
}

const recordOf = (entity: Entity): EntityRecord => ({
  kind: entity.kind,
  id: entity.id,
  version: entity.version,
  payload: entity.payload,
  deleted: entity.isDeleted,
  created_at: entity.createdAt.toISOString(),
  updated_at: entity.updatedAt.toISOString(),
  updated_by: entity.updatedBy,
});

const versionOf = (version: EntityVersion) => ({
  kind: version.kind,
  id: version.id,
  version: version.version,
  payload: version.payload,
  deleted: version.isDeleted,
  stored_at: version.storedAt.toISOString(),
  stored_by: version.storedBy,
});
