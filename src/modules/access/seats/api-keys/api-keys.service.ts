import { Injectable } from '@nestjs/common';
import type { TenantCaller } from '../../../../common/contract/caller.js';
import { AuditTrail } from '../../../../common/evidence-log/audit-trail.js';
import { decodeCursor, takePage } from '../../../../common/fields/cursor.js';
import { invalid } from '../../../../common/problem/common-problems.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { OrganisationLock } from '../organisation-lock.service.js';
import { ApiKeyEnded, ApiKeyUnknown, LastApiKey } from '../seats.problems.js';
import type { ApiKey, ApiKeyCreated, ApiKeyCreateRequest, ApiKeyList, ApiKeyListQuery } from './api-keys.dto.js';
import type { ApiKeyRow } from './api-key.entity.js';
import { ApiKeysStore } from './api-keys.store.js';

/** Makes, lists, rotates and revokes the API keys of a tenant. A key counts as owner. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: ApiKeysStore,
    private readonly lock: OrganisationLock,
    private readonly audit: AuditTrail,
  ) {}

  async list(caller: TenantCaller, { limit, cursor, status, createdBy }: ApiKeyListQuery): Promise<ApiKeyList> {
    const after = decodeCursor(cursor, ['integer', 'uuid']);
    const rows = await this.tenancy.run(caller.tenantId, () =>
      this.store.list({ status, createdBy }, after, limit + 1),
    );
    const { page, next_cursor } = takePage(rows, limit, (row) => [row.createdUs, row.keyId]);
    return { apiKeys: page.map(toApiKey), next_cursor };
  }

  create(caller: TenantCaller, { label, expiresAt }: ApiKeyCreateRequest): Promise<ApiKeyCreated> {
    const expiry = expiresAt === undefined ? null : readExpiry(expiresAt);
    return this.tenancy.run(caller.tenantId, async () => {
      await this.lock.take(caller);
      const created = await this.insert(caller, label, expiry);
      await this.note(caller, 'api_key.created', created, {});
      return created;
    });
  }

  /** A key that ended before stays as it is. @throws ApiKeyUnknown, LastApiKey */
  revoke(caller: TenantCaller, keyId: string, reason: string | undefined): Promise<ApiKey> {
    return this.tenancy.run(caller.tenantId, async () => {
      const row = await this.open(caller, keyId);
      if (row.status === 'revoked') return toApiKey(row);
      if (!(await this.store.hasOtherOwner(keyId)))
        throw new LastApiKey({ keyId }, 'Nobody could get in as owner any more: rotate the key, or bootstrap an owner');
      await this.store.revoke(keyId, caller.principal, reason);
      const revoked = await this.read(keyId);
      await this.note(caller, 'api_key.revoked', revoked, { reason: reason ?? null });
      return revoked;
    });
  }

  /**
   * A new key in place of one that still works, which is revoked in the same transaction.
   * @throws ApiKeyUnknown, ApiKeyEnded
   */
  rotate(caller: TenantCaller, keyId: string, expiresAt: string | undefined): Promise<ApiKeyCreated> {
    const expiry = expiresAt === undefined ? undefined : readExpiry(expiresAt);
    return this.tenancy.run(caller.tenantId, async () => {
      await this.open(caller, keyId);
      const terms = await this.store.rotate(keyId, caller.principal);
      if (!terms) throw new ApiKeyEnded({ keyId }, 'Make a new key with POST /v1/org/api-keys');
      const created = await this.insert(caller, terms.label, expiry ?? terms.expires_at);
      await this.note(caller, 'api_key.rotated', created, { replaces: keyId });
      return created;
    });
  }

  private async open(caller: TenantCaller, keyId: string): Promise<ApiKeyRow> {
    await this.lock.take(caller);
    const row = await this.store.find(keyId);
    if (!row) throw new ApiKeyUnknown({ keyId }, 'GET /v1/org/api-keys lists the keys of the tenant');
    return row;
  }

  private async insert({ principal }: TenantCaller, label: string | null, expiry: Date | null): Promise<ApiKeyCreated> {
    const { keyId, key } = await this.store.insert(principal, label, expiry);
    return { ...(await this.read(keyId)), apiKey: key.apiKey };
  }

  private async read(keyId: string): Promise<ApiKey> {
    const row = await this.store.find(keyId);
    if (!row) throw new Error('a key that was written is not there');
    return toApiKey(row);
  }

  private async note(caller: TenantCaller, kind: string, { id, prefix, label }: ApiKey, more: object): Promise<void> {
    await this.audit.record(caller, { kind, subject: id, facts: { prefix, label, ...more }, event: { keyId: id } });
  }
}

/** @throws ValidationFailed for a time that is over */
function readExpiry(expiresAt: string): Date {
  const expiry = new Date(expiresAt);
  if (expiry > new Date()) return expiry;
  throw invalid('body.expiresAt', 'must be in the future');
}

function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.keyId,
    label: row.label,
    prefix: row.prefix,
    status: row.status,
    createdAt: row.createdAt.toISOString(),
    createdBy: row.createdBy,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    revokedAt: row.revokedAt?.toISOString() ?? null,
    revokedBy: row.revokedBy,
    revokeReason: row.revokeReason,
  };
}
