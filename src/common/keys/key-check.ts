import { createHash, timingSafeEqual } from 'node:crypto';
import type { TenantCaller, Tier } from '../contract/caller.js';
import type { Listener } from '../database/listener.js';
import { Remembered } from '../database/remembered.js';
import type { Tenancy } from '../tenancy/tenancy.js';
import { hashOf, prefixOf } from './api-key.js';

interface Verdict extends TenantCaller {
  keyId: string;
  expiresAt: Date | null;
}

/** Finds out who an API key belongs to. Positive verdicts are kept for seconds, and forgotten at once when a key is revoked in any process. */
export class KeyCheck {
  private readonly verdicts: Remembered<Verdict>;

  constructor(
    private readonly tenancy: Tenancy,
    listener: Listener,
  ) {
    this.verdicts = new Remembered(listener, 'svc_key_revoked', (keyId, verdict) => verdict.keyId === keyId);
  }

  /** @returns undefined when tenant and key do not belong together, whatever the reason */
  async find(tenantId: string, apiKey: string): Promise<TenantCaller | undefined> {
    const id = createHash('sha256').update(tenantId).update('\0').update(apiKey).digest('base64');
    const known = this.verdicts.get(id);
    if (known && !hasExpired(known)) return known;
    return this.verdicts.ask(id, () => this.ask(tenantId, apiKey));
  }

  private async ask(tenantId: string, apiKey: string): Promise<Verdict | undefined> {
    const [row] = await this.tenancy.call<{ key_id: string; key_hash: Buffer; tier: Tier; expires_at: Date | null }>(
      'select * from svc_find_key($1, $2)',
      [tenantId, prefixOf(apiKey)],
    );
    const given = hashOf(apiKey);
    const stored = row?.key_hash ?? Buffer.alloc(given.length);
    if (!timingSafeEqual(stored, given) || !row) return undefined;
    return {
      tenantId,
      tier: row.tier,
      principal: `key:${row.key_id}`,
      role: 'owner',
      authType: 'api_key',
      keyId: row.key_id,
      expiresAt: row.expires_at,
    };
  }
}

const hasExpired = ({ expiresAt }: Verdict): boolean => expiresAt !== null && expiresAt <= new Date();
