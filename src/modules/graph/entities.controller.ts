import { Body, Controller, Param, Query } from '@nestjs/common';
import { ok } from '../../common/contract/contract.js';
import { PageQuery } from '../../common/fields/page.dto.js';
import { Acting, type DaemonCaller } from '../../daemon/auth/daemon-caller.js';
import { DaemonRoute } from '../../daemon/contract/daemon-route.decorator.js';
import { anyOf } from '../../daemon/contract/scopes.js';
import { EntitiesQuery, EntityAddress, EntityHistory, EntityList, EntityReply, StoreEntity } from './entities.dto.js';
import { EntitiesService } from './entities.service.js';
import { EntityUnknown } from './graph.problems.js';

const tag = 'graph';
const reading = { tag, scopes: anyOf('facts:read', 'admin:read') };
const writing = { tag, scopes: anyOf('facts:write', 'admin:write') };

@Controller()
export class EntitiesController {
  constructor(private readonly entities: EntitiesService) {}

  @DaemonRoute('GET /v1/entities', {
    ...reading,
    summary: 'List entities',
    description:
      'By kind and id. `count` is how many the page holds; how many there are of a kind says GET /v1/kinds/{kind}.',
    reply: ok(EntityList),
  })
  listEntities(@Acting() caller: DaemonCaller, @Query() query: EntitiesQuery): Promise<EntityList> {
    return this.entities.list(caller, query);
  }

  @DaemonRoute('GET /v1/entities/:kind/:id', {
    ...reading,
    summary: 'Read an entity',
    description: 'Of a deleted one the 404 says `deleted_version`.',
    reply: ok(EntityReply),
    problems: [EntityUnknown],
  })
  readEntity(@Acting() caller: DaemonCaller, @Param() address: EntityAddress): Promise<EntityReply> {
    return this.entities.read(caller, address);
  }

  @DaemonRoute('PUT /v1/entities/:kind/:id', {
    ...writing,
    summary: 'Store an entity',
    description:
      'The payload replaces the one before, which stays in the history: every PUT is a version, counted without gaps. A deleted entity comes back. ' +
      'Its kind is registered with it.',
    reply: ok(EntityReply),
  })
  storeEntity(
    @Acting() caller: DaemonCaller,
    @Param() address: EntityAddress,
    @Body() { payload }: StoreEntity,
  ): Promise<EntityReply> {
    return this.entities.record(caller, address, payload);
  }

  @DaemonRoute('DELETE /v1/entities/:kind/:id', {
    ...writing,
    summary: 'Delete an entity',
    description:
      'A version like any other, which says that it is deleted and keeps the payload. Edges that name the entity stay.',
    reply: ok(EntityReply),
    problems: [EntityUnknown],
  })
  deleteEntity(@Acting() caller: DaemonCaller, @Param() address: EntityAddress): Promise<EntityReply> {
    return this.entities.retire(caller, address);
  }

  @DaemonRoute('GET /v1/entities/:kind/:id/history', {
    ...reading,
    summary: 'Every version of an entity',
    description: 'Newest first; of an entity that never was, none.',
    reply: ok(EntityHistory),
  })
  listVersions(
    @Acting() caller: DaemonCaller,
    @Param() address: EntityAddress,
    @Query() query: PageQuery,
  ): Promise<EntityHistory> {
    return this.entities.listVersions(caller, address, query);
  }
}
