import { Body, Controller, Param, Query } from '@nestjs/common';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { PageQuery } from '../../../common/fields/page.dto.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { LegalHold } from '../../../common/legal-holds/held-rows.js';
import { EntitiesQuery, EntityAddress, EntityHistory, EntityList, EntityReply, PutEntity } from './entities.dto.js';
import { EntitiesService } from './entities.service.js';
import { EntityChanged, EntityUnknown } from './graph.problems.js';

const tag = 'graph';
const reading = { tag, access: anyOf('facts:read', 'admin:read') };
const writing = { tag, access: anyOf('facts:write', 'admin:write') };

@Controller()
export class EntitiesController {
  constructor(private readonly entities: EntitiesService) {}

  @Route('GET /v1/entities', {
    ...reading,
    summary: 'List entities',
    description:
      'By kind and id. `count` is how many the page holds; how many there are of a kind says GET /v1/kinds/{kind}.',
    reply: ok(EntityList),
  })
  listEntities(@Caller() caller: DaemonCaller, @Query() query: EntitiesQuery): Promise<EntityList> {
    return this.entities.list(caller, query);
  }

  @Route('GET /v1/entities/:kind/:id', {
    ...reading,
    summary: 'Read an entity',
    description: 'Of a deleted one the 404 says `deleted_version`.',
    reply: ok(EntityReply),
    problems: [EntityUnknown],
  })
  readEntity(@Caller() caller: DaemonCaller, @Param() address: EntityAddress): Promise<EntityReply> {
    return this.entities.read(caller, address);
  }

  @Route('PUT /v1/entities/:kind/:id', {
    ...writing,
    summary: 'Store an entity',
    description:
      'The payload replaces the one before, which stays in the history: every PUT is a version, counted without gaps. A deleted entity comes back. ' +
      'Its kind is registered with it. Of two who change one from the same base_version one is refused (409).',
    reply: ok(EntityReply),
    problems: [EntityChanged],
  })
  storeEntity(
    @Caller() caller: DaemonCaller,
    @Param() address: EntityAddress,
    @Body() body: PutEntity,
  ): Promise<EntityReply> {
    return this.entities.record(caller, address, body);
  }

  @Route('DELETE /v1/entities/:kind/:id', {
    ...writing,
    summary: 'Delete an entity',
    description:
      'A version like any other, which says that it is deleted and keeps the payload. Edges that name the entity stay.',
    reply: ok(EntityReply),
    problems: [EntityUnknown, LegalHold],
  })
  deleteEntity(@Caller() caller: DaemonCaller, @Param() address: EntityAddress): Promise<EntityReply> {
    return this.entities.retire(caller, address);
  }

  @Route('GET /v1/entities/:kind/:id/history', {
    ...reading,
    summary: 'List the versions of an entity',
    description: 'Newest first; of an entity that never was, none.',
    reply: ok(EntityHistory),
  })
  listEntityVersions(
    @Caller() caller: DaemonCaller,
    @Param() address: EntityAddress,
    @Query() query: PageQuery,
  ): Promise<EntityHistory> {
    return this.entities.listVersions(caller, address, query);
  }
}
