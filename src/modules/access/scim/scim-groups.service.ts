import { Injectable } from '@nestjs/common';
import { isUuid } from '../../../common/ids/uuid-form.js';
import { uuid } from '../../../common/ids/uuid.js';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { PublicAddress } from '../../../common/http/public-address.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { ScimGroupRow } from './scim-group.entity.js';
import { patchGroup, readGroup, readGroupFilter, type ScimGroup, type ScimGroupState } from './scim-groups.rules.js';
import { ScimGroupsStore } from './scim-groups.store.js';
import { ScimRolesService } from './scim-roles.service.js';
import { fitting, GROUP_SCHEMA, listOf, pageOf } from './scim-schemas.js';
import type { ScimGroupListQuery } from './scim.dto.js';
import { ScimGroupExists, ScimGroupUnknown } from './scim.problems.js';
import { invalid, readJsonBody } from './scim.rules.js';

/** Groups as an identity provider keeps them (RFC 7644). Where one gives a role, the seats of its members follow it. */
@Injectable()
export class ScimGroupsService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: ScimGroupsStore,
    private readonly roles: ScimRolesService,
    private readonly address: PublicAddress,
  ) {}

  /** @throws ScimInvalid */
  list(caller: TenantCaller, query: ScimGroupListQuery) {
    const wanted = readGroupFilter(query.filter);
    const { first, limit } = pageOf(query);
    return this.tenancy.run(caller.tenantId, async () => {
      if (wanted.id !== undefined && !isUuid(wanted.id)) return listOf([], 0, first);
      const { groups, total } = await this.store.list(wanted, first - 1, limit);
      if (!wantsMembers(query)) return listOf(await this.shownAll(groups, false), total, first);
      const members = await this.store.countMembers(groups.map(({ groupId }) => groupId));
      const shown = fitting(groups, ({ groupId }) => members.get(groupId) ?? 0);
      return listOf(await this.shownAll(shown, true), total, first);
    });
  }

  /** @throws ScimGroupUnknown */
  read(caller: TenantCaller, id: string): Promise<ScimGroup> {
    return this.tenancy.run(caller.tenantId, async () => this.shown(await this.find(id)));
  }

  /** @throws ScimInvalid, ScimGroupExists */
  create(caller: TenantCaller, body: Uint8Array): Promise<ScimGroup> {
    const wanted = readGroup(readJsonBody(body));
    return this.roles.change(caller, async () => {
      const { displayName, externalId } = wanted;
      const groupId = uuid();
      const isThere = await this.store.hasOther(groupId, displayName);
      if (isThere || !(await this.store.insert({ groupId, displayName, externalId }))) throw exists(displayName);
      return this.bring(caller, await this.find(groupId), wanted);
    });
  }

  /** @throws ScimGroupUnknown, ScimInvalid, ScimGroupExists */
  replace(caller: TenantCaller, id: string, body: Uint8Array): Promise<ScimGroup> {
    const json = readJsonBody(body);
    return this.roles.change(caller, async () => this.bring(caller, await this.find(id), readGroup(json)));
  }

  /** @throws ScimGroupUnknown, ScimInvalid, ScimGroupExists */
  patch(caller: TenantCaller, id: string, body: Uint8Array): Promise<ScimGroup> {
    const operations = readJsonBody(body);
    return this.roles.change(caller, async () => {
      const group = await this.find(id);
      return this.bring(caller, group, patchGroup(await this.shown(group), operations));
    });
  }

  /** @throws ScimGroupUnknown */
  remove(caller: TenantCaller, id: string): Promise<void> {
    return this.roles.change(caller, async () => {
      const { groupId } = await this.find(id);
      await this.roles.follow(caller, await this.membersOf(groupId), () => this.store.delete(groupId));
    });
  }

  private async bring(caller: TenantCaller, group: ScimGroupRow, wanted: ScimGroupState): Promise<ScimGroup> {
    const { groupId } = group;
    const { displayName, externalId, members } = wanted;
    const unknown = members.find((id) => !isUuid(id)) ?? (await this.store.findUnknown(members))[0];
    if (unknown !== undefined)
      throw invalid('invalidValue', `members: ${unknown} is no user of the tenant; POST /scim/v2/Users creates one`);
    if (displayName !== group.displayName && (await this.store.hasOther(groupId, displayName)))
      throw exists(displayName);
    const concerned = [...new Set([...(await this.membersOf(groupId)), ...members])];
    await this.roles.follow(caller, concerned, async () => {
      await this.store.update(groupId, { displayName, externalId });
      await this.store.setMembers(groupId, members);
    });
    return this.shown(await this.find(groupId));
  }

  private async find(id: string): Promise<ScimGroupRow> {
    const found = isUuid(id) ? await this.store.find(id) : undefined;
    if (!found) throw new ScimGroupUnknown({ groupId: id }, 'GET /scim/v2/Groups lists the groups of the tenant');
    return found;
  }

  private async membersOf(groupId: string): Promise<string[]> {
    return (await this.store.listMembers([groupId])).map(({ userId }) => userId);
  }

  private async shown(group: ScimGroupRow): Promise<ScimGroup> {
    return (await this.shownAll([group], true))[0]!;
  }

  private async shownAll(groups: readonly ScimGroupRow[], withMembers: boolean): Promise<ScimGroup[]> {
    const found = withMembers ? await this.store.listMembers(groups.map(({ groupId }) => groupId)) : [];
    const members = Map.groupBy(found, ({ groupId }) => groupId);
    return groups.map(({ groupId, displayName, externalId, createdAt, changedAt }) => ({
      schemas: [GROUP_SCHEMA],
      id: groupId,
      ...(externalId === null ? {} : { externalId }),
      displayName,
      ...(withMembers
        ? {
            members: (members.get(groupId) ?? []).map(({ userId, userName }) => ({
              ...{ value: userId, display: userName, type: 'User' as const },
              $ref: this.address.urlOf(`/scim/v2/Users/${userId}`),
            })),
          }
        : {}),
      meta: {
        resourceType: 'Group',
        created: createdAt.toISOString(),
        lastModified: changedAt.toISOString(),
        location: this.address.urlOf(`/scim/v2/Groups/${groupId}`),
      },
    }));
  }
}

const exists = (name: string): ScimGroupExists =>
  new ScimGroupExists({ scimType: 'uniqueness' }, `There is a group ${name}: look for it by a filter`);

const wantsMembers = ({ excludedAttributes = '' }: ScimGroupListQuery): boolean =>
  !excludedAttributes.split(',').some((name) => name.trim().toLowerCase() === 'members');
