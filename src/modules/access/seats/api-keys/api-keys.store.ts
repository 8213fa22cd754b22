import { Injectable } from '@nestjs/common';
import type { SeatRole } from '../../../../common/contract/contract.js';
import { insertKey, markKeyRevoked, type KeyTerms, type MadeKey } from '../../../../common/keys/key-rows.js';
import type { Query } from '../../../../common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import type { ApiKeyStatus } from './api-keys.dto.js';

export interface ApiKeyRow {
  key_id: string;
  prefix: string;
  label: string | null;
  created_at: Date;
  created_by: string | null;
  expires_at: Date | null;
  revoked_at: Date | null;
  revoked_by: string | null;
  revoke_reason: string | null;
  status: ApiKeyStatus;
  /** Microseconds since 1970: what a timestamp's order is by. */
  created_us: number;
}

/** A key's state, by the database's clock. */
const STATUS = `case when revoked_at is not null then 'revoked' when expires_at <= now() then 'expired' else 'active' end`;
const COLUMNS = `key_id, prefix, label, created_at, created_by, expires_at, revoked_at, revoked_by, revoke_reason, ${STATUS} as status,
  (extract(epoch from created_at) * 1000000)::float8 as created_us`;

export interface ApiKeyFilter {
  status?: ApiKeyStatus;
  createdBy?: string;
}

/** Last row of the page before: created_us, key_id. */
export type ApiKeyPosition = [number, string];

/** The API keys of the open unit of work's tenant. */
@Injectable()
export class ApiKeysStore {
  constructor(private readonly tenancy: Tenancy) {}

  list(filter: ApiKeyFilter, after: ApiKeyPosition | undefined, limit: number): Promise<ApiKeyRow[]> {
    return this.tenancy.query<ApiKeyRow>(
      `select ${COLUMNS} from api_key where tenant_id = $1 and ($2::text is null or ${STATUS} = $2) and ($3::text is null or created_by = $3)
         and ($4::float8 is null or (created_at, key_id) > (timestamptz 'epoch' + $4 * interval '1 microsecond', $5::uuid))
       order by created_at, key_id limit $6`,
      [
        this.tenancy.tenant,
        filter.status ?? null,
        filter.createdBy ?? null,
        after?.[0] ?? null,
        after?.[1] ?? null,
        limit,
      ],
    );
  }

  async find(keyId: string): Promise<ApiKeyRow | undefined> {
    const [row] = await this.tenancy.query<ApiKeyRow>(
      `select ${COLUMNS} from api_key where tenant_id = $1 and key_id = $2`,
      [this.tenancy.tenant, keyId],
    );
    return row;
  }

  /**
   * Keeps the key from being revoked until the end of the unit of work, also by the command line, which takes no lock
   * of the organisation.
   * @returns the role by which it may act now; undefined when it was revoked or has expired
   */
  async findRole(keyId: string): Promise<SeatRole | undefined> {
    const found = await this.tenancy.query(
      `select 1 from api_key where tenant_id = $1 and key_id = $2 and ${STATUS} = 'active' for share`,
      [this.tenancy.tenant, keyId],
    );
    return found.length > 0 ? 'owner' : undefined;
  }

  /** Whether somebody would still get in as owner without this key: by another key, or by an active owner's seat. */
  async hasOtherOwner(keyId: string): Promise<boolean> {
    const [row] = await this.tenancy.query<{ found: boolean }>(
      `select exists (select from api_key where tenant_id = $1 and key_id <> $2 and ${STATUS} = 'active')
         or exists (select from seat where tenant_id = $1 and role = 'owner' and status = 'active') as found`,
      [this.tenancy.tenant, keyId],
    );
    return row?.found === true;
  }

  insert(createdBy: string, label: string | null, expiresAt: Date | null): Promise<MadeKey> {
    return insertKey(this.query, { tenantId: this.tenancy.tenant, createdBy, label, expiresAt });
  }

  revoke(keyId: string, revokedBy: string, reason: string | undefined): Promise<KeyTerms | undefined> {
    return markKeyRevoked(this.query, { tenantId: this.tenancy.tenant, keyId, revokedBy, reason });
  }

  private readonly query: Query = (sql, parameters) => this.tenancy.query(sql, parameters);
}
