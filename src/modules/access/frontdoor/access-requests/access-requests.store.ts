import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import type {
  AccessRequestChangeRow,
  AccessRequestRow,
  Audience,
  AccessRequestStatus,
  Decision,
} from './access-requests.types.js';

export type NewAccessRequest = Omit<
  AccessRequestRow,
  'status' | 'submitted_at' | 'updated_at' | 'provisioned_tenant_id'
>;

export interface AccessRequestFilter {
  status?: AccessRequestStatus;
  audience?: Audience;
  email?: string;
}

/** Access requests and their history, of the tenant that reviews them. */
@Injectable()
export class AccessRequestsStore {
  constructor(private readonly tenancy: Tenancy) {}

  async record(request: NewAccessRequest): Promise<AccessRequestRow> {
    const [row] = await this.tenancy.query<AccessRequestRow>(
      `insert into access_request (tenant_id, request_id, audience, requester_email, requester_name, company_name, wanted_tenant_id, default_agent_id,
         api_key_provided, wanted_tier, use_case, notes)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) returning *`,
      [
        this.tenancy.tenant,
        request.request_id,
        request.audience,
        request.requester_email,
        request.requester_name,
        request.company_name,
        request.wanted_tenant_id,
        request.default_agent_id,
        request.api_key_provided,
        request.wanted_tier,
        request.use_case,
        request.notes,
      ],
    );
    if (!row) throw new Error('an access request was not recorded');
    return row;
  }

  /** Newest first. @param after the last id of the page before */
  list(filter: AccessRequestFilter, after: string | undefined, limit: number): Promise<AccessRequestRow[]> {
    return this.tenancy.query<AccessRequestRow>(
      `select * from access_request where tenant_id = $1
         and ($2::text is null or status = $2) and ($3::text is null or audience = $3)
         and ($4::text is null or lower(requester_email) = lower($4)) and ($5::uuid is null or request_id < $5)
       order by request_id desc limit $6`,
      [this.tenancy.tenant, filter.status ?? null, filter.audience ?? null, filter.email ?? null, after ?? null, limit],
    );
  }

  /** Oldest first. */
  listChanges(requestIds: readonly string[]): Promise<AccessRequestChangeRow[]> {
    return this.tenancy.query<AccessRequestChangeRow>(
      `select request_id, from_status, to_status, changed_by, changed_at, reason from access_request_change
       where tenant_id = $1 and request_id = any($2) order by change_id`,
      [this.tenancy.tenant, requestIds],
    );
  }

  /** Until the unit of work ends nobody else decides on it. */
  async lock(requestId: string): Promise<AccessRequestRow | undefined> {
    const [row] = await this.tenancy.query<AccessRequestRow>(
      'select * from access_request where tenant_id = $1 and request_id = $2 for update',
      [this.tenancy.tenant, requestId],
    );
    return row;
  }

  async decide(
    requestId: string,
    { from, to, principal, reason, provisionedTenantId }: Decision,
  ): Promise<AccessRequestRow> {
    await this.tenancy.query(
      `insert into access_request_change (tenant_id, request_id, from_status, to_status, changed_by, reason, changed_at)
       values ($1, $2, $3, $4, $5, $6, now())`,
      [this.tenancy.tenant, requestId, from, to, principal, reason],
    );
    const [row] = await this.tenancy.query<AccessRequestRow>(
      `update access_request set status = $3, provisioned_tenant_id = $4, updated_at = now()
       where tenant_id = $1 and request_id = $2 returning *`,
      [this.tenancy.tenant, requestId, to, provisionedTenantId],
    );
    if (!row) throw new Error('an access request was not decided');
    return row;
  }
}
