import { Controller, Param, Query, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Caller, type TenantCaller } from '../../../common/contract/caller.js';
import { nothing } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { RawBody } from '../../../common/http/raw-body.js';
import { Forbidden } from '../../../common/problem/common-problems.js';
import { LastOwner, SeatRevoked, SeatUnknown } from '../seats/seats.problems.js';
import { access, errors, made, requestBody, resource, tag } from './scim-contract.js';
import { ScimGroupsService } from './scim-groups.service.js';
import { GROUP_SCHEMA } from './scim-schemas.js';
import { ScimGroupListQuery, ScimGroupPath } from './scim.dto.js';
import { ScimFilter } from './scim.filter.js';
import { ScimGroupExists, ScimGroupUnknown, ScimInvalid } from './scim.problems.js';

/** Of some ten thousand members. */
const MAX_BODY_BYTES = 1024 * 1024;
const changed = [ScimInvalid, LastOwner, SeatRevoked, SeatUnknown, Forbidden];
const A_GROUP = requestBody('A group (RFC 7643, 4.2): displayName, externalId, members by the ids of users.', {
  schemas: [GROUP_SCHEMA],
  displayName: 'Staff',
  members: [],
});

@Controller()
@UseFilters(ScimFilter)
export class ScimGroupsController {
  constructor(private readonly groups: ScimGroupsService) {}

  @Route('GET /scim/v2/Groups', {
    ...{ tag, access, extension: true },
    summary: 'List the groups of SCIM',
    description: 'By pages of at most 200 (`startIndex`, `count`), or the one of a name or externalId.',
    reply: resource,
    problems: [ScimInvalid],
    responses: errors(),
  })
  async listScimGroups(@Caller() caller: TenantCaller, @Query() query: ScimGroupListQuery): Promise<string> {
    return JSON.stringify(await this.groups.list(caller, query));
  }

  @Route('POST /scim/v2/Groups', {
    ...{ tag, access, extension: true, body: 'any' },
    summary: 'Create a group of users',
    description:
      'Where SVC_OIDC_GROUP_ROLES names the group, by its name or externalId, the seats of its members have that role from now on. Errors are those of RFC 7644.',
    bodyLimit: MAX_BODY_BYTES,
    requestBody: A_GROUP,
    reply: made,
    problems: [...changed, ScimGroupExists],
    responses: errors(403, 404, 409, 413),
  })
  async createScimGroup(
    @Caller() caller: TenantCaller,
    @RawBody() body: Buffer,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const group = await this.groups.create(caller, body);
    void reply.header('location', group.meta.location);
    return JSON.stringify(group);
  }

  @Route('GET /scim/v2/Groups/:groupId', {
    ...{ tag, access, extension: true },
    summary: 'Read a group of SCIM',
    reply: resource,
    problems: [ScimGroupUnknown],
    responses: errors(404),
    tried: { from: { groupId: 'createScimGroup#/id' } },
  })
  async readScimGroup(@Caller() caller: TenantCaller, @Param() { groupId }: ScimGroupPath): Promise<string> {
    return JSON.stringify(await this.groups.read(caller, groupId));
  }

  @Route('PUT /scim/v2/Groups/:groupId', {
    ...{ tag, access, extension: true, body: 'any' },
    summary: 'Replace a group of SCIM',
    description: 'Who is no member any more has the role of its other groups, or its own.',
    bodyLimit: MAX_BODY_BYTES,
    requestBody: A_GROUP,
    reply: resource,
    problems: [...changed, ScimGroupUnknown, ScimGroupExists],
    responses: errors(403, 404, 409, 413),
    tried: { from: { groupId: 'createScimGroup#/id' } },
  })
  async replaceScimGroup(
    @Caller() caller: TenantCaller,
    @Param() { groupId }: ScimGroupPath,
    @RawBody() body: Buffer,
  ): Promise<string> {
    return JSON.stringify(await this.groups.replace(caller, groupId, body));
  }

  @Route('PATCH /scim/v2/Groups/:groupId', {
    ...{ tag, access, extension: true, body: 'any' },
    summary: 'Change a group of SCIM',
    description: 'Operations add, replace and remove (RFC 7644, 3.5.2), in the spelling of Microsoft Entra as well.',
    bodyLimit: MAX_BODY_BYTES,
    requestBody: requestBody('Operations (RFC 7644, 3.5.2).', {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', path: 'displayName', value: 'Staff' }],
    }),
    reply: resource,
    problems: [...changed, ScimGroupUnknown, ScimGroupExists],
    responses: errors(403, 404, 409, 413),
    tried: { from: { groupId: 'createScimGroup#/id' } },
  })
  async patchScimGroup(
    @Caller() caller: TenantCaller,
    @Param() { groupId }: ScimGroupPath,
    @RawBody() body: Buffer,
  ): Promise<string> {
    return JSON.stringify(await this.groups.patch(caller, groupId, body));
  }

  @Route('DELETE /scim/v2/Groups/:groupId', {
    ...{ tag, access, extension: true },
    summary: 'Delete a group of SCIM',
    description: 'Its users stay, and have the role of their other groups, or their own.',
    reply: nothing(),
    problems: [ScimGroupUnknown, LastOwner, SeatUnknown, Forbidden],
    responses: errors(403, 404, 409),
    tried: { from: { groupId: 'createScimGroup#/id' } },
  })
  deleteScimGroup(@Caller() caller: TenantCaller, @Param() { groupId }: ScimGroupPath): Promise<void> {
    return this.groups.remove(caller, groupId);
  }
}
