import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Listener } from '../database/listener.js';
import { LOG, type Log } from '../observability/log.js';
import { CrossTenant, type Query } from '../tenancy/cross-tenant.js';
import { loadSigningKey } from './key-files.js';
import { type PublicJwk, type SigningKey, VerifyingKey } from './signing-key.js';

export const KEY_CHANNEL = 'svc_signing_key';

/** A public key of this database's evidence and when it signs. */
export interface KnownKey {
  readonly key: VerifyingKey;
  readonly notBefore: Date;
  readonly notAfter: Date | null;
  readonly jwk: PublicJwk;
}

/**
 * The private key this process signs with, and every public key that ever signed in this database. A rotation reaches a running
 * process by NOTIFY; until it does, the old key is still valid (a minute of overlap).
 */
@Injectable()
export class KeyRing implements OnModuleInit, OnApplicationShutdown {
  private current: SigningKey | undefined;
  private readonly stops: (() => void)[] = [];

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOG) private readonly log: Log,
    private readonly crossTenant: CrossTenant,
    private readonly listener: Listener,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.reload();
    const follow = (): void => {
      this.reload().catch((error: unknown) => {
        this.log.error({ error }, 'the signing key could not be loaded again; the one at hand stays in use');
      });
    };
    this.stops.push(this.listener.on(KEY_CHANNEL, follow), this.listener.onGap(follow));
  }

  onApplicationShutdown(): void {
    for (const stop of this.stops) stop();
  }

  /** The key to sign with now. */
  get active(): SigningKey {
    if (this.current === undefined) throw new Error('the signing key is not loaded yet');
    return this.current;
  }

  /** All public keys, oldest first. */
  list(): Promise<KnownKey[]> {
    return this.crossTenant.run('read keys', readKeys);
  }

  /** Reads the key file again and makes its public half known. Clocks of hosts differ a little, so validity starts a minute early. */
  private async reload(): Promise<void> {
    const key = loadSigningKey(this.settings);
    if (key.kid === this.current?.kid) return;
    await this.crossTenant.run('publish key', (query) =>
      query(
        `insert into signing_key (kid, public_key, not_before) values ($1, $2, now() - interval '1 minute')
         on conflict do nothing`,
        [key.kid, Buffer.from(key.publicKey.bytes)],
      ),
    );
    this.current = key;
  }
}

/** All public keys, oldest first, where a connection is at hand already. */
export async function readKeys(query: Query): Promise<KnownKey[]> {
  const rows = await query<{ public_key: Buffer; not_before: Date; not_after: Date | null }>(
    'select public_key, not_before, not_after from signing_key order by not_before, kid',
  );
  return rows.map(({ public_key, not_before, not_after }) => {
    const key = new VerifyingKey(Uint8Array.from(public_key));
    return { key, notBefore: not_before, notAfter: not_after, jwk: key.toJwk(not_before, not_after) };
  });
}
