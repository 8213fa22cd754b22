import { Injectable } from '@nestjs/common';
import { Not, Raw } from 'typeorm';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository, type Values, type Where } from '../../../common/tenancy/tenant-repository.js';
import { ScimGroupRow } from './scim-group.entity.js';
import { ScimMemberRow } from './scim-member.entity.js';
import type { ScimGroupFilter } from './scim-groups.rules.js';

export interface ScimGroupMember {
  groupId: string;
  userId: string;
  userName: string;
}

/** A group that a user is in. */
export interface ScimGroupOfUser {
  userId: string;
  groupId: string;
  displayName: string;
  externalId: string | null;
}

/** The name in any letters (RFC 7643, 8.7.1). */
const named = (displayName: string) =>
  Raw((column) => `lower(${column} collate "C") = lower(:displayName collate "C")`, { displayName });

/** The groups of the open unit of work's tenant. */
@Injectable()
export class ScimGroupsStore {
  private readonly groups: TenantRepository<ScimGroupRow>;
  private readonly members: TenantRepository<ScimMemberRow>;

  constructor(private readonly tenancy: Tenancy) {
    this.groups = new TenantRepository(tenancy, ScimGroupRow);
    this.members = new TenantRepository(tenancy, ScimMemberRow);
  }

  /** @param offset of the first, from 0: pages of SCIM are by number (RFC 7644, 3.4.2.4) */
  async list(
    { id, displayName, externalId }: ScimGroupFilter,
    offset: number,
    limit: number,
  ): Promise<{ groups: ScimGroupRow[]; total: number }> {
    const filter = {
      ...(id === undefined ? {} : { groupId: id }),
      ...(displayName === undefined ? {} : { displayName: named(displayName) }),
      ...(externalId === undefined ? {} : { externalId }),
    };
    const total = await this.groups.count(filter);
    const groups = limit === 0 ? [] : await this.page(filter, offset, limit);
    return { groups, total };
  }

  find(groupId: string): Promise<ScimGroupRow | undefined> {
    return this.groups.find({ groupId });
  }

  /** @returns false when there is one of the name */
  async insert(group: Values<ScimGroupRow>): Promise<boolean> {
    return (await this.groups.insertNew(group)) !== undefined;
  }

  /** Whether another than this one has the name. */
  async hasOther(groupId: string, displayName: string): Promise<boolean> {
    return (await this.groups.find({ groupId: Not(groupId), displayName: named(displayName) })) !== undefined;
  }

  async update(groupId: string, values: Values<ScimGroupRow>): Promise<void> {
    await this.groups.updateOne({ groupId }, { ...values, changedAt: () => 'now()' });
  }

  async delete(groupId: string): Promise<void> {
    await this.groups.delete({ groupId });
  }

  async setMembers(groupId: string, userIds: readonly string[]): Promise<void> {
    await this.members.delete({ groupId });
    if (userIds.length > 0) await this.members.insertAll(userIds.map((userId) => ({ groupId, userId })));
  }

  /** Of these groups, in the order of their names. */
  listMembers(groupIds: readonly string[]): Promise<ScimGroupMember[]> {
    return this.tenancy.query<ScimGroupMember>(
      `select m.group_id as "groupId", m.user_id as "userId", u.user_name as "userName"
       from scim_member m join scim_user u on u.tenant_id = m.tenant_id and u.user_id = m.user_id
       where m.tenant_id = $1 and m.group_id = any($2::uuid[]) order by u.user_name`,
      [this.tenancy.tenant, groupIds],
    );
  }

  /** How many each of these groups has, where it has any. */
  async countMembers(groupIds: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.tenancy.query<{ groupId: string; members: number }>(
      `select group_id as "groupId", count(*)::int as members from scim_member
       where tenant_id = $1 and group_id = any($2::uuid[]) group by group_id`,
      [this.tenancy.tenant, groupIds],
    );
    return new Map(rows.map(({ groupId, members }) => [groupId, members]));
  }

  /** In how many groups each of these users is, where it is in any. */
  async countGroups(userIds: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.tenancy.query<{ userId: string; groups: number }>(
      `select user_id as "userId", count(*)::int as groups from scim_member
       where tenant_id = $1 and user_id = any($2::uuid[]) group by user_id`,
      [this.tenancy.tenant, userIds],
    );
    return new Map(rows.map(({ userId, groups }) => [userId, groups]));
  }

  /** Of these users, in the order of their names. */
  listGroupsOf(userIds: readonly string[]): Promise<ScimGroupOfUser[]> {
    return this.tenancy.query<ScimGroupOfUser>(
      `select m.user_id as "userId", g.group_id as "groupId", g.display_name as "displayName", g.external_id as "externalId"
       from scim_member m join scim_group g on g.tenant_id = m.tenant_id and g.group_id = m.group_id
       where m.tenant_id = $1 and m.user_id = any($2::uuid[]) order by g.display_name`,
      [this.tenancy.tenant, userIds],
    );
  }

  /** @returns those of the ids that are no user of the tenant */
  async findUnknown(userIds: readonly string[]): Promise<string[]> {
    const rows = await this.tenancy.query<{ id: string }>(
      `select n.id from unnest($2::uuid[]) n (id)
       where not exists (select from scim_user u where u.tenant_id = $1 and u.user_id = n.id) limit 1`,
      [this.tenancy.tenant, userIds],
    );
    return rows.map(({ id }) => id);
  }

  private page(filter: Where<ScimGroupRow>, offset: number, limit: number): Promise<ScimGroupRow[]> {
    return this.groups
      .select('g', filter, { order: { groupId: 'asc' } })
      .offset(offset)
      .limit(limit)
      .getMany();
  }
}
