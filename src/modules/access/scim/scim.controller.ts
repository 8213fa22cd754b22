import { Controller, Param, Query, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Caller, type TenantCaller } from '../../../common/contract/caller.js';
import { nothing } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { RawBody } from '../../../common/http/raw-body.js';
import { Forbidden } from '../../../common/problem/common-problems.js';
import { LastOwner, SeatRevoked, SeatUnknown } from '../seats/seats.problems.js';
import { access, errors, made, requestBody, resource, tag } from './scim-contract.js';
import { listOf, RESOURCE_TYPES, SCHEMAS, SERVICE_PROVIDER_CONFIG, USER_SCHEMA } from './scim-schemas.js';
import { ScimUsersService } from './scim-users.service.js';
import { ScimListQuery, ScimUserPath } from './scim.dto.js';
import { ScimFilter } from './scim.filter.js';
import { ScimInvalid, ScimUserExists, ScimUserUnknown } from './scim.problems.js';

const MAX_BODY_BYTES = 64 * 1024;
const changed = [ScimInvalid, ScimUserUnknown, LastOwner, SeatRevoked, SeatUnknown, Forbidden];
const A_USER = requestBody('A user (RFC 7643, 4.1): userName, the e-mail address; active, externalId, roles.', {
  schemas: [USER_SCHEMA],
  userName: 'ada@example.com',
  active: true,
});

@Controller()
@UseFilters(ScimFilter)
export class ScimController {
  constructor(private readonly users: ScimUsersService) {}

  @Route('GET /scim/v2/ServiceProviderConfig', {
    ...{ tag, access, extension: true },
    summary: 'Read what of SCIM is supported',
    reply: resource,
    responses: errors(),
  })
  async readScimConfig(): Promise<string> {
    return JSON.stringify(SERVICE_PROVIDER_CONFIG);
  }

  @Route('GET /scim/v2/ResourceTypes', {
    ...{ tag, access, extension: true },
    summary: 'List the kinds of resources of SCIM',
    reply: resource,
    responses: errors(),
  })
  async listScimResourceTypes(): Promise<string> {
    return JSON.stringify(listOf(RESOURCE_TYPES));
  }

  @Route('GET /scim/v2/Schemas', {
    ...{ tag, access, extension: true },
    summary: 'List the schemas of SCIM',
    reply: resource,
    responses: errors(),
  })
  async listScimSchemas(): Promise<string> {
    return JSON.stringify(listOf(SCHEMAS));
  }

  @Route('GET /scim/v2/Users', {
    ...{ tag, access, extension: true },
    summary: 'List the users of SCIM',
    description: 'By pages of at most 200 (`startIndex`, `count`), or the one of an e-mail address or externalId.',
    reply: resource,
    problems: [ScimInvalid],
    responses: errors(),
  })
  async listScimUsers(@Caller() caller: TenantCaller, @Query() query: ScimListQuery): Promise<string> {
    return JSON.stringify(await this.users.list(caller, query));
  }

  @Route('POST /scim/v2/Users', {
    ...{ tag, access, extension: true, body: 'any' },
    summary: 'Create a user and give it a seat',
    description:
      'The e-mail address has a seat from now on, without a mail: the provider vouches for it. A pending invitation of it is accepted, an active seat is taken over. Errors are those of RFC 7644.',
    bodyLimit: MAX_BODY_BYTES,
    requestBody: A_USER,
    reply: made,
    problems: [...changed, ScimUserExists],
    responses: errors(403, 404, 409, 413),
  })
  async createScimUser(
    @Caller() caller: TenantCaller,
    @RawBody() body: Buffer,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const user = await this.users.create(caller, body);
    void reply.header('location', user.meta.location);
    return JSON.stringify(user);
  }

  @Route('GET /scim/v2/Users/:userId', {
    ...{ tag, access, extension: true },
    summary: 'Read a user of SCIM',
    reply: resource,
    problems: [ScimUserUnknown],
    responses: errors(404),
    tried: { from: { userId: 'createScimUser#/id' } },
  })
  async readScimUser(@Caller() caller: TenantCaller, @Param() { userId }: ScimUserPath): Promise<string> {
    return JSON.stringify(await this.users.read(caller, userId));
  }

  @Route('PUT /scim/v2/Users/:userId', {
    ...{ tag, access, extension: true, body: 'any' },
    summary: 'Replace a user of SCIM',
    description:
      'With `active: false` its seat is revoked, and what the seat opened ends; with `true` it has one again.',
    bodyLimit: MAX_BODY_BYTES,
    requestBody: A_USER,
    reply: resource,
    problems: changed,
    responses: errors(403, 404, 409, 413),
    tried: { from: { userId: 'createScimUser#/id' } },
  })
  async replaceScimUser(
    @Caller() caller: TenantCaller,
    @Param() { userId }: ScimUserPath,
    @RawBody() body: Buffer,
  ): Promise<string> {
    return JSON.stringify(await this.users.replace(caller, userId, body));
  }

  @Route('PATCH /scim/v2/Users/:userId', {
    ...{ tag, access, extension: true, body: 'any' },
    summary: 'Change a user of SCIM',
    description: 'Operations add, replace and remove (RFC 7644, 3.5.2), in the spelling of Microsoft Entra as well.',
    bodyLimit: MAX_BODY_BYTES,
    requestBody: requestBody('Operations (RFC 7644, 3.5.2).', {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', path: 'externalId', value: '00u1' }],
    }),
    reply: resource,
    problems: changed,
    responses: errors(403, 404, 409, 413),
    tried: { from: { userId: 'createScimUser#/id' } },
  })
  async patchScimUser(
    @Caller() caller: TenantCaller,
    @Param() { userId }: ScimUserPath,
    @RawBody() body: Buffer,
  ): Promise<string> {
    return JSON.stringify(await this.users.patch(caller, userId, body));
  }

  @Route('DELETE /scim/v2/Users/:userId', {
    ...{ tag, access, extension: true },
    summary: 'Delete a user of SCIM and its seat',
    reply: nothing(),
    problems: [ScimUserUnknown, LastOwner, SeatUnknown, Forbidden],
    responses: errors(403, 404, 409),
    tried: { from: { userId: 'createScimUser#/id' } },
  })
  deleteScimUser(@Caller() caller: TenantCaller, @Param() { userId }: ScimUserPath): Promise<void> {
    return this.users.remove(caller, userId);
  }
}
