import { Injectable } from '@nestjs/common';
import { isUuid } from '../../../common/ids/uuid-form.js';
import { uuid } from '../../../common/ids/uuid.js';
import type { TenantCaller } from '../../../common/contract/caller.js';
import type { GroupRole } from '../../../common/config/people-settings.js';
import type { SeatRole } from '../../../common/contract/contract.js';
import { PublicAddress } from '../../../common/http/public-address.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { ProviderSeatsService } from '../seats/provider-seats.service.js';
import { SeatsService } from '../seats/seats.service.js';
import { fitting, listOf, pageOf, USER_SCHEMA } from './scim-schemas.js';
import { ScimGroupsStore } from './scim-groups.store.js';
import { ScimRolesService } from './scim-roles.service.js';
import { ScimUsersStore, type ScimUserWithSeat } from './scim-users.store.js';
import type { ScimListQuery } from './scim.dto.js';
import { ScimInvalid, ScimUserExists, ScimUserUnknown } from './scim.problems.js';
import {
  MAX_USER_VALUES,
  NEW_ROLE,
  patchUser,
  readFilter,
  readJsonBody,
  readUser,
  type ScimUser,
  type ScimUserState,
} from './scim.rules.js';

const REASON = 'provisioned by SCIM';

/**
 * Users as an identity provider keeps them (RFC 7644). An active one has a seat; one that is deactivated or deleted has
 * none, and what the seat opened ends with it in the same transaction (docs/decisions/0349).
 */
@Injectable()
export class ScimUsersService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: ScimUsersStore,
    private readonly groups: ScimGroupsStore,
    private readonly roles: ScimRolesService,
    private readonly seats: SeatsService,
    private readonly provider: ProviderSeatsService,
    private readonly address: PublicAddress,
  ) {}

  /** @throws ScimInvalid */
  list(caller: TenantCaller, query: ScimListQuery) {
    const wanted = readFilter(query.filter);
    const { first, limit } = pageOf(query);
    return this.tenancy.run(caller.tenantId, async () => {
      if (wanted.id !== undefined && !isUuid(wanted.id)) return listOf([], 0, first);
      const { users, total } = await this.store.list(wanted, first - 1, limit);
      const groups = await this.groups.countGroups(users.map(({ userId }) => userId));
      const shown = fitting(users, ({ userId }) => groups.get(userId) ?? 0);
      return listOf(await this.shownAll(shown), total, first);
    });
  }

  /** @throws ScimUserUnknown */
  read(caller: TenantCaller, id: string): Promise<ScimUser> {
    return this.tenancy.run(caller.tenantId, async () => this.shown(await this.find(id)));
  }

  /** @throws ScimInvalid, ScimUserExists */
  create(caller: TenantCaller, body: Uint8Array): Promise<ScimUser> {
    const wanted = readUser(readJsonBody(body, MAX_USER_VALUES));
    return this.roles.change(caller, async () => {
      const { userName, externalId, role = NEW_ROLE } = wanted;
      const userId = uuid();
      if (!(await this.store.insert({ userId, userName, externalId, role })))
        throw new ScimUserExists({ scimType: 'uniqueness' }, `There is a user ${userName}: look for it by a filter`);
      return this.bring(caller, await this.find(userId), wanted);
    });
  }

  /** @throws ScimUserUnknown, ScimInvalid, LastOwner */
  replace(caller: TenantCaller, id: string, body: Uint8Array): Promise<ScimUser> {
    const json = readJsonBody(body, MAX_USER_VALUES);
    return this.roles.change(caller, async () => {
      const user = await this.find(id);
      return this.bring(caller, user, readUser(json, { active: user.active, isOwner: user.role === 'owner' }));
    });
  }

  /** @throws ScimUserUnknown, ScimInvalid, LastOwner */
  patch(caller: TenantCaller, id: string, body: Uint8Array): Promise<ScimUser> {
    const operations = readJsonBody(body, MAX_USER_VALUES);
    return this.roles.change(caller, async () => {
      const user = await this.find(id);
      return this.bring(caller, user, patchUser(await this.shown(user), operations));
    });
  }

  /** @throws ScimUserUnknown, LastOwner */
  remove(caller: TenantCaller, id: string): Promise<void> {
    return this.roles.change(caller, async () => {
      const user = await this.find(id);
      await this.takeSeat(caller, user);
      await this.store.delete(user.userId);
    });
  }

  /** The user and its seat as they are wanted. */
  private async bring(caller: TenantCaller, user: ScimUserWithSeat, wanted: ScimUserState): Promise<ScimUser> {
    if (wanted.userName !== user.userName)
      throw new ScimInvalid(
        { scimType: 'mutability' },
        'userName is the e-mail address of the seat and stays: delete the user and create another',
      );
    const given = (await this.roles.rolesOf([user.userId])).get(user.userId);
    const role = wanted.active ? await this.giveSeat(caller, user, given ?? wanted.role) : (wanted.role ?? user.role);
    if (!wanted.active) await this.takeSeat(caller, user);
    await this.store.update(user.userId, {
      externalId: wanted.externalId,
      role: ownRole(user, given === undefined ? role : wanted.role, given),
    });
    return this.shown(await this.find(user.userId));
  }

  /** An owner stays one. @returns what the seat may do from now on */
  private async giveSeat(
    caller: TenantCaller,
    { userName: email, seatId, active, role: present }: ScimUserWithSeat,
    role: SeatRole | undefined,
  ): Promise<SeatRole> {
    if (!active) return (await this.provider.provision(caller, { email, role, newRole: present, reason: REASON })).role;
    if (role === undefined || role === present || present === 'owner') return present;
    return (await this.seats.changeRole(caller, { seatId: seatId!, role, reason: REASON })).role;
  }

  /** An invitation that waits is withdrawn as well. */
  private async takeSeat(caller: TenantCaller, { seatId }: ScimUserWithSeat): Promise<void> {
    if (seatId !== null) await this.seats.revoke(caller, { seatId, reason: REASON });
  }

  private async find(id: string): Promise<ScimUserWithSeat> {
    const found = isUuid(id) ? await this.store.find(id) : undefined;
    if (!found) throw new ScimUserUnknown({ userId: id }, 'GET /scim/v2/Users lists the users of the tenant');
    return found;
  }

  private async shown(user: ScimUserWithSeat): Promise<ScimUser> {
    return (await this.shownAll([user]))[0]!;
  }

  private async shownAll(users: readonly ScimUserWithSeat[]): Promise<ScimUser[]> {
    const groups = Map.groupBy(
      await this.groups.listGroupsOf(users.map(({ userId }) => userId)),
      ({ userId }) => userId,
    );
    return users.map(({ userId, userName, externalId, active, role, createdAt, changedAt }) => ({
      schemas: [USER_SCHEMA],
      id: userId,
      ...(externalId === null ? {} : { externalId }),
      userName,
      active,
      emails: [{ value: userName, type: 'work', primary: true }],
      roles: [{ value: role, primary: true }],
      groups: (groups.get(userId) ?? []).map(({ groupId, displayName }) => ({
        ...{ value: groupId, display: displayName, type: 'direct' as const },
        $ref: this.address.urlOf(`/scim/v2/Groups/${groupId}`),
      })),
      meta: {
        resourceType: 'User',
        created: createdAt.toISOString(),
        lastModified: changedAt.toISOString(),
        location: this.address.urlOf(`/scim/v2/Users/${userId}`),
      },
    }));
  }
}

/**
 * What the user is where no group gives a role: nobody is made an owner by it.
 * @param said undefined leaves it, and so does what the groups give
 */
function ownRole(user: ScimUserWithSeat, said: SeatRole | undefined, given: GroupRole | undefined): GroupRole {
  if (said === undefined || said === given) return user.ownRole;
  return said === 'owner' ? NEW_ROLE : said;
}
