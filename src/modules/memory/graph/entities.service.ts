import { Injectable } from '@nestjs/common';
import { uuid } from '../../../common/ids/uuid.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import type { PageQuery } from '../../../common/fields/page.dto.js';
import { Outbox } from '../../../common/outbox/outbox.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import type {
  EntitiesQuery,
  EntityAddress,
  EntityHistory,
  EntityList,
  EntityRecord,
  EntityReply,
} from './entities.dto.js';
import { EntitiesStore } from './entities.store.js';
import { KindRules } from './kind-rules.service.js';
import { EntityUnknown } from './graph.problems.js';
import type { Entity, EntityVersion } from './graph.types.js';

/** Entities of the caller's tenant. Nothing is overwritten: every change, and the deletion, is a further version. */
@Injectable()
export class EntitiesService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly store: EntitiesStore,
    private readonly rules: KindRules,
    private readonly outbox: Outbox,
  ) {}

  /** @throws ValidationFailed where the payload is not as its kind asks */
  async record(caller: DaemonCaller, { kind, id }: EntityAddress, given: unknown): Promise<EntityReply> {
    const payload = await this.rules.prepare(kind, id, given, 'body.payload');
    const written = { kind, id, payload, actor: caller.principal, event: uuid() };
    const head = await this.tenants.writeAlone(caller, undefined, (tenant, unit) =>
      this.store.store(tenant, written, unit),
    );
    this.outbox.announce();
    return { entity: recordOf({ ...head, payload, updatedBy: caller.principal }) };
  }

  /** @throws EntityUnknown */
  async retire(caller: DaemonCaller, { kind, id }: EntityAddress): Promise<EntityReply> {
    const written = { kind, id, actor: caller.principal, event: uuid() };
    const retired = await this.tenants.writeAlone(caller, undefined, async (tenant, unit) => {
      const head = await this.store.retire(tenant, written, unit);
      const entity = await this.store.find(tenant, written, unit);
      if (!head || !entity) throw unknown({ kind, id }, entity);
      // As the deletion left it: who stores it again at this moment makes a version of their own.
      return { ...entity, ...head, updatedBy: caller.principal };
    });
    this.outbox.announce();
    return { entity: recordOf(retired) };
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
