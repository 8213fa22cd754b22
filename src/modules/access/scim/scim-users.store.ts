import { Injectable } from '@nestjs/common';
import type { GroupRole } from '../../../common/config/people-settings.js';
import type { SeatRole } from '../../../common/contract/contract.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository, type Values } from '../../../common/tenancy/tenant-repository.js';
import { ScimUserRow } from './scim-user.entity.js';
import type { ScimUserFilter } from './scim.rules.js';

/** A user with what its seat says. */
export interface ScimUserWithSeat {
  userId: string;
  userName: string;
  externalId: string | null;
  /** Pending or active. */
  seatId: string | null;
  active: boolean;
  role: SeatRole;
  /** What its seat may do where no group gives it a role. */
  ownRole: GroupRole;
  createdAt: Date;
  changedAt: Date;
}

const COLUMNS = `u.user_id as "userId", u.user_name as "userName", u.external_id as "externalId", s.seat_id as "seatId",
  coalesce(s.status = 'active', false) as active, coalesce(s.role, u.role) as role, u.role as "ownRole",
  u.created_at as "createdAt", u.changed_at as "changedAt"`;
/** Of an e-mail address there is one seat at most that was not revoked. */
const ROWS = `scim_user u
  left join seat s on s.tenant_id = u.tenant_id and s.user_email = u.user_name and s.status <> 'revoked'
  where u.tenant_id = $1 and ($2::uuid is null or u.user_id = $2) and ($3::text is null or u.user_name = $3)
    and ($4::text is null or u.external_id = $4)`;

/** The users of the open unit of work's tenant. */
@Injectable()
export class ScimUsersStore {
  private readonly users: TenantRepository<ScimUserRow>;

  constructor(private readonly tenancy: Tenancy) {
    this.users = new TenantRepository(tenancy, ScimUserRow);
  }

  /** @param offset of the first, from 0: pages of SCIM are by number (RFC 7644, 3.4.2.4) */
  async list(
    filter: ScimUserFilter,
    offset: number,
    limit: number,
  ): Promise<{ users: ScimUserWithSeat[]; total: number }> {
    const given = this.parametersOf(filter);
    const [counted] = await this.tenancy.query<{ total: number }>(`select count(*)::int as total from ${ROWS}`, given);
    const users = await this.tenancy.query<ScimUserWithSeat>(
      `select ${COLUMNS} from ${ROWS} order by u.user_id offset $5 limit $6`,
      [...given, offset, limit],
    );
    return { users, total: counted!.total };
  }

  async find(id: string): Promise<ScimUserWithSeat | undefined> {
    return (await this.list({ id }, 0, 1)).users[0];
  }

  /** @returns false when there is one of the name */
  async insert(user: Values<ScimUserRow>): Promise<boolean> {
    return (await this.users.insertNew(user)) !== undefined;
  }

  async update(userId: string, values: Values<ScimUserRow>): Promise<void> {
    await this.users.updateOne({ userId }, { ...values, changedAt: () => 'now()' });
  }

  async delete(userId: string): Promise<void> {
    await this.users.delete({ userId });
  }

  private parametersOf({ id, userName, externalId }: ScimUserFilter): (string | null)[] {
    return [this.tenancy.tenant, id ?? null, userName ?? null, externalId ?? null];
  }
}
