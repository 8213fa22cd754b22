import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { TenantCaller, Tier } from '../contract/caller.js';
import { Listener } from '../database/listener.js';
import { TtlCache } from '../database/ttl-cache.js';
import { Unauthorized } from '../problem/common-problems.js';
import { CrossTenant } from '../tenancy/cross-tenant.js';
import { Tenancy } from '../tenancy/tenancy.js';
import { inactiveTenant, TENANT_CHANGED, type TenantState } from '../tenancy/tenant-state.js';
import { sha256 } from '../../evidence/sha256.js';
import { hashOf } from './api-key.js';

/** Whom a key stands for, and which key it is. */
export interface KeyCaller extends TenantCaller {
  keyId: string;
  prefix: string;
  expiresAt: Date | null;
}

/** What is read of a key that has not ended. */
interface FoundKey {
  key_id: string;
  prefix: string;
  key_hash: Buffer;
  tier: Tier;
  expires_at: Date | null;
  state: TenantState;
}

/**
 * Finds out who an API key belongs to. Positive verdicts are cached for seconds, and invalidated at once when a key is
 * revoked or its tenant changes, in any process.
 */
@Injectable()
export class KeyCheck {
  private readonly verdicts: TtlCache<KeyCaller>;

  constructor(
    private readonly tenancy: Tenancy,
    private readonly crossTenant: CrossTenant,
    listener: Listener,
  ) {
    this.verdicts = new TtlCache(listener, 'svc_key_revoked', (keyId, verdict) => verdict.keyId === keyId, {
      [TENANT_CHANGED]: (tenantId, verdict) => verdict.tenantId === tenantId,
    });
  }

  /**
   * @returns undefined when tenant and key do not belong together, whatever the reason
   * @throws Unauthorized when they do, and the tenant is not active
   */
  async find(tenantId: string, apiKey: string): Promise<KeyCaller | undefined> {
    return this.findCached(nameOf(tenantId, apiKey), async () => {
      const rows = await this.tenancy.call<FoundKey>('select * from svc_authenticate_key($1, $2)', [
        tenantId,
        hashOf(apiKey),
      ]);
      const [row] = matching(rows, apiKey);
      return row && verdictOf(tenantId, row);
    });
  }

  /**
   * Finds the tenant by the key alone, for clients that can send nothing else.
   * @returns undefined when no tenant has this key
   * @throws Unauthorized when several have it, as keys that were chosen by somebody can be the same: nobody's is
   * guessed; or when its tenant is not active
   */
  async findByKey(apiKey: string): Promise<KeyCaller | undefined> {
    // No tenant's name is empty.
    return this.findCached(nameOf('', apiKey), async () => {
      const rows = await this.crossTenant.run('key without tenant', (query) =>
        query<FoundKey & { tenant_id: string }>(KEYS_BY_LOOKUP, [hashOf(apiKey)]),
      );
      const found = matching(rows, apiKey);
      if (found.length > 1) throw new Unauthorized({}, 'Several tenants have this key: send x-tenant-id with it');
      return found[0] && verdictOf(found[0].tenant_id, found[0]);
    });
  }

  private async findCached(name: string, ask: () => Promise<KeyCaller | undefined>): Promise<KeyCaller | undefined> {
    const known = this.verdicts.get(name);
    if (known && !hasExpired(known)) return known;
    return this.verdicts.ask(name, ask);
  }
}

/** A subquery, so that the index is used: the function is not stable. */
const KEYS_BY_LOOKUP = `
  select k.tenant_id, k.key_id, k.prefix, k.key_hash, k.expires_at, t.tier, t.state from api_key k join tenant t using (tenant_id)
  where k.lookup = (select svc_key_lookup($1)) and k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp())`;

const nameOf = (tenantId: string, apiKey: string): string => sha256(tenantId, '\0', apiKey).toString('base64');

/**
 * The rows whose key this is. Something is compared also where there is none, so that timing does not reveal whether
 * there is one.
 */
function matching<R extends FoundKey>(rows: R[], apiKey: string): R[] {
  const given = hashOf(apiKey);
  if (rows.length === 0) timingSafeEqual(Buffer.alloc(given.length), given);
  return rows.filter((row) => timingSafeEqual(row.key_hash, given));
}

/** @throws Unauthorized when the tenant is not active */
function verdictOf(tenantId: string, { key_id: keyId, tier, prefix, expires_at, state }: FoundKey): KeyCaller {
  if (state !== 'active') throw new Unauthorized({}, inactiveTenant(state));
  const principal = `key:${keyId}`;
  return { tenantId, tier, principal, role: 'owner', authType: 'api_key', keyId, prefix, expiresAt: expires_at };
}

const hasExpired = ({ expiresAt }: KeyCaller): boolean => expiresAt !== null && expiresAt <= new Date();
