import { Inject, Injectable } from '@nestjs/common';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { peopleTenants, type GroupRole } from '../../../common/config/people-settings.js';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { OrganisationLock } from '../seats/organisation-lock.service.js';
import { SeatsService } from '../seats/seats.service.js';
import { ScimGroupsStore } from './scim-groups.store.js';
import { roleOfGroups } from './scim-groups.rules.js';
import { ScimUsersStore } from './scim-users.store.js';

const REASON = 'groups by SCIM';

/**
 * What groups make of seats: the seat of a user has the strongest role that one of its groups gives
 * (SVC_OIDC_GROUP_ROLES), and its own where none does.
 */
@Injectable()
export class ScimRolesService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly groups: ScimGroupsStore,
    private readonly users: ScimUsersStore,
    private readonly lock: OrganisationLock,
    private readonly seats: SeatsService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Changes users or groups in a unit of work, one change of the organisation at a time: what it reads of roles and
   * groups stays as it is until it ends.
   */
  change<T>(caller: TenantCaller, work: () => Promise<T>): Promise<T> {
    return this.tenancy.run(caller.tenantId, async () => {
      await this.lock.take(caller);
      return work();
    });
  }

  /** What groups give these users; those to whom none gives anything are left out. */
  async rolesOf(userIds: readonly string[]): Promise<Map<string, GroupRole>> {
    const { groupRoles } = this.settings.people;
    if (groupRoles.length === 0 || !peopleTenants(this.settings).includes(this.tenancy.tenant)) return new Map();
    const byUser = Map.groupBy(await this.groups.listGroupsOf(userIds), ({ userId }) => userId);
    const given = [...byUser].map(([userId, groups]) => [userId, roleOfGroups(groups, groupRoles)] as const);
    return new Map(given.filter((entry): entry is [string, GroupRole] => entry[1] !== undefined));
  }

  /** Changes groups of these users, and then the seats of those to whom the groups give something else. */
  async follow(caller: TenantCaller, userIds: readonly string[], change: () => Promise<void>): Promise<void> {
    const before = await this.rolesOf(userIds);
    await change();
    const after = await this.rolesOf(userIds);
    for (const userId of userIds)
      if (before.get(userId) !== after.get(userId)) await this.give(caller, userId, after.get(userId));
  }

  /** An owner stays one; a user without an active seat has the role with its next one. */
  private async give(caller: TenantCaller, userId: string, given: GroupRole | undefined): Promise<void> {
    const user = await this.users.find(userId);
    if (!user?.active || user.role === 'owner') return;
    const role = given ?? user.ownRole;
    if (role !== user.role) await this.seats.changeRole(caller, { seatId: user.seatId!, role, reason: REASON });
  }
}
