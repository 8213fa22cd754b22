import { Injectable } from '@nestjs/common';
import { Not } from 'typeorm';
import type { SeatRole } from '../../../../common/contract/contract.js';
import {
  insertKey,
  markKeyRevoked,
  markKeyRotated,
  type KeyTerms,
  type MadeKey,
} from '../../../../common/keys/key-rows.js';
import type { Query } from '../../../../common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../../common/tenancy/tenant-repository.js';
import { SeatRow } from '../seat.entity.js';
import { ApiKeyRow } from './api-key.entity.js';
import type { ApiKeyStatus } from './api-keys.dto.js';

export interface ApiKeyFilter {
  status?: ApiKeyStatus;
  createdBy?: string;
}

/** Last row of the page before: created_us, key_id. */
export type ApiKeyPosition = [number, string];

/** The API keys of the open unit of work's tenant. */
@Injectable()
export class ApiKeysStore {
  private readonly keys: TenantRepository<ApiKeyRow>;
  private readonly seats: TenantRepository<SeatRow>;

  constructor(private readonly tenancy: Tenancy) {
    this.keys = new TenantRepository(tenancy, ApiKeyRow);
    this.seats = new TenantRepository(tenancy, SeatRow);
  }

  list(filter: ApiKeyFilter, after: ApiKeyPosition | undefined, limit: number): Promise<ApiKeyRow[]> {
    return this.keys.list(filter, { order: { createdAt: 'asc', keyId: 'asc' }, after, take: limit });
  }

  find(keyId: string): Promise<ApiKeyRow | undefined> {
    return this.keys.find({ keyId });
  }

  /**
   * Keeps the key from being revoked until the end of the unit of work, also by the command line, which takes no lock
   * of the organisation.
   * @returns the role by which it may act now; undefined when it was revoked or has expired
   */
  async findRole(keyId: string): Promise<SeatRole | undefined> {
    return (await this.keys.find({ keyId, status: 'active' }, 'share')) && 'owner';
  }

  /** Whether somebody would still get in as owner without this key: by another key, or by an active owner's seat. */
  async hasOtherOwner(keyId: string): Promise<boolean> {
    return (
      (await this.keys.has({ keyId: Not(keyId), status: 'active' })) ||
      (await this.seats.has({ role: 'owner', status: 'active' }))
    );
  }

  insert(createdBy: string, label: string | null, expiresAt: Date | null): Promise<MadeKey> {
    return insertKey(this.query, { tenantId: this.tenancy.tenant, createdBy, label, expiresAt });
  }

  revoke(keyId: string, revokedBy: string, reason: string | undefined): Promise<KeyTerms | undefined> {
    return markKeyRevoked(this.query, { tenantId: this.tenancy.tenant, keyId, revokedBy, reason });
  }

  /** @returns undefined when it does not work any more */
  rotate(keyId: string, revokedBy: string): Promise<KeyTerms | undefined> {
    return markKeyRotated(this.query, { tenantId: this.tenancy.tenant, keyId, revokedBy });
  }

  private readonly query: Query = (sql, parameters) => this.tenancy.query(sql, parameters);
}
