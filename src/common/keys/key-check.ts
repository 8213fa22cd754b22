import { createHash, timingSafeEqual } from 'node:crypto';
import type { TenantCaller, Tier } from '../contract/caller.js';
import type { Listener } from '../database/listener.js';
import { Remembered } from '../database/remembered.js';
import { Unauthorized } from '../problem/house-problems.js';
import type { CrossTenant } from '../tenancy/cross-tenant.js';
import type { Tenancy } from '../tenancy/tenancy.js';
import { hashOf, prefixOf } from './api-key.js';

interface Verdict extends TenantCaller {
  keyId: string;
  expiresAt: Date | null;
}

/** What is read of a key that has not ended. */
interface FoundKey {
  key_id: string;
  key_hash: Buffer;
  tier: Tier;
  expires_at: Date | null;
}

/** Finds out who an API key belongs to. Positive verdicts are kept for seconds, and forgotten at once when a key is revoked in any process. */
export class KeyCheck {
  private readonly verdicts: Remembered<Verdict>;

  constructor(
    private readonly tenancy: Tenancy,
    private readonly crossTenant: CrossTenant,
    listener: Listener,
  ) {
    this.verdicts = new Remembered(listener, 'svc_key_revoked', (keyId, verdict) => verdict.keyId === keyId);
  }

  /** @returns undefined when tenant and key do not belong together, whatever the reason */
  async find(tenantId: string, apiKey: string): Promise<TenantCaller | undefined> {
    return this.remember(nameOf(tenantId, apiKey), async () => {
      const rows = await this.tenancy.call<FoundKey>('select * from svc_find_key($1, $2)', [
        tenantId,
        prefixOf(apiKey),
      ]);
      const [row] = matching(rows, apiKey);
      return row && verdictOf(tenantId, row);
    });
  }

  /**
   * Finds the tenant by the key alone, for clients that can send nothing else.
   * @returns undefined when no tenant has this key
   * @throws Unauthorized when several have it, as keys that were chosen by somebody can be the same: nobody's is guessed
   */
  async findByKey(apiKey: string): Promise<TenantCaller | undefined> {
    // No tenant's name is empty.
    return this.remember(nameOf('', apiKey), async () => {
      const rows = await this.crossTenant.run('key without tenant', (query) =>
        query<FoundKey & { tenant_id: string }>(KEYS_BY_PREFIX, [prefixOf(apiKey)]),
      );
      const found = matching(rows, apiKey);
      if (found.length > 1) throw new Unauthorized({}, 'Several tenants have this key: send x-tenant-id beside it');
      return found[0] && verdictOf(found[0].tenant_id, found[0]);
    });
  }

  private async remember(name: string, ask: () => Promise<Verdict | undefined>): Promise<TenantCaller | undefined> {
    const known = this.verdicts.get(name);
    if (known && !hasExpired(known)) return known;
    return this.verdicts.ask(name, ask);
  }
}

const KEYS_BY_PREFIX = `
  select k.tenant_id, k.key_id, k.key_hash, k.expires_at, t.tier from api_key k join tenant t using (tenant_id)
  where k.prefix = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp())`;

const nameOf = (tenantId: string, apiKey: string): string =>
  createHash('sha256').update(tenantId).update('\0').update(apiKey).digest('base64');

/** The rows whose key this is. Something is compared also where there is none, so that time does not tell which prefixes there are. */
function matching<R extends FoundKey>(rows: R[], apiKey: string): R[] {
  const given = hashOf(apiKey);
  if (rows.length === 0) timingSafeEqual(Buffer.alloc(given.length), given);
  return rows.filter((row) => timingSafeEqual(row.key_hash, given));
}

const verdictOf = (tenantId: string, row: FoundKey): Verdict => ({
  tenantId,
  tier: row.tier,
  principal: `key:${row.key_id}`,
  role: 'owner',
  authType: 'api_key',
  keyId: row.key_id,
  expiresAt: row.expires_at,
});

const hasExpired = ({ expiresAt }: Verdict): boolean => expiresAt !== null && expiresAt <= new Date();
