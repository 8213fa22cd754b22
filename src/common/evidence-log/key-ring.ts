import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { SETTINGS, SettingsInvalid, type Settings } from '../config/settings.js';
import { Listener } from '../database/listener.js';
import { LOG, type Log } from '../observability/log.js';
import { ServiceUnavailable } from '../problem/common-problems.js';
import { CrossTenant, type Query } from '../tenancy/cross-tenant.js';
import { findSigningKey, makeSigningKey, signingKeyFile } from './key-files.js';
import { type PublicJwk, type SigningKey, VerifyingKey } from '../../evidence/signing-key.js';

export const KEY_CHANNEL = 'svc_signing_key';

/** A public key of this database's evidence and when it signs. */
export interface KnownKey {
  readonly key: VerifyingKey;
  readonly notBefore: Date;
  readonly notAfter: Date | null;
  readonly jwk: PublicJwk;
}

/** Any constant: the same in every process. */
const KEYS_LOCK = 7_389_214_657;

const ROTATED_OUT =
  'the signing key of this process was rotated out; put the key file that signs now in its place and restart';

/**
 * The private key this process signs with, and every public key that ever signed in this database. A rotation reaches a
 * running process by NOTIFY; until its old key ends (a minute later) that one is still valid, and after it the process
 * signs nothing.
 */
@Injectable()
export class KeyRing implements OnModuleInit, OnApplicationShutdown {
  private current: SigningKey | undefined;
  private endsAt: Date | null = null;
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
        this.log.error(
          { error },
          'the signing key could not be loaded again; the one at hand stays in use while it is valid',
        );
      });
    };
    this.stops.push(this.listener.on(KEY_CHANNEL, follow), this.listener.onGap(follow));
  }

  onApplicationShutdown(): void {
    for (const stop of this.stops) stop();
  }

  /**
   * The key to sign with now.
   * @throws ServiceUnavailable when it was rotated out: what it signed now would not verify
   */
  get active(): SigningKey {
    if (this.current === undefined) throw new Error('the signing key is not loaded yet');
    if (this.hasEnded) throw new ServiceUnavailable({ retryAfterSec: 1 }, `Try another server: ${ROTATED_OUT}`);
    return this.current;
  }

  /** Whether the key was rotated out; it may still be valid for a while. */
  get isEnding(): boolean {
    return this.endsAt !== null;
  }

  get hasEnded(): boolean {
    return this.endsAt !== null && this.endsAt.getTime() <= Date.now();
  }

  /** All public keys, oldest first. */
  list(): Promise<KnownKey[]> {
    return this.crossTenant.run('read keys', readKeys);
  }

  /** For readiness: that the key signs, and its public half is published as one that is in use. */
  async findFault(query: Query): Promise<string | undefined> {
    const key = this.current;
    const probe = Buffer.from(`readiness ${Date.now()}`);
    if (!key?.publicKey.verify(probe, key.sign(probe))) return 'the signing key does not sign';
    const [row] = await query<{ not_after: Date | null }>('select not_after from signing_key where kid = $1', [
      key.kid,
    ]);
    if (!row) return 'the signing key of this process is not published';
    this.endsAt = row.not_after;
    return this.hasEnded ? ROTATED_OUT : undefined;
  }

  /** Reads the key file again. The lock lets one process at a time look which keys there are and add its own. */
  private async reload(): Promise<void> {
    const { key, notAfter } = await this.crossTenant.run('publish key', async (query) => {
      await query('select pg_advisory_xact_lock($1)', [KEYS_LOCK]);
      const known = await readKeys(query);
      this.endsAt = known.find((one) => one.key.kid === this.current?.kid)?.notAfter ?? null;
      return takeKey(this.settings, known, query);
    });
    this.current = key;
    this.endsAt = notAfter;
    if (notAfter) this.log.warn({ kid: key.kid, ends_at: notAfter }, ROTATED_OUT);
  }
}

/**
 * The key of this process's file. It is published when the database has no key that is in use: a log is signed by one
 * key, and a second one is never added by a mere start. Clocks of hosts differ a little, so validity starts a minute
 * early.
 * @throws SettingsInvalid
 */
async function takeKey(
  settings: Settings,
  known: readonly KnownKey[],
  query: Query,
): Promise<{ key: SigningKey; notAfter: Date | null }> {
  const found = findSigningKey(settings);
  const own = known.find(({ key }) => key.kid === found?.kid);
  const inUse = known.filter(({ notAfter }) => notAfter === null).map(({ key }) => key.kid);
  const isOver = own?.notAfter && own.notAfter.getTime() <= Date.now();
  if (found && own && !isOver) return { key: found, notAfter: own.notAfter };
  if (isOver || inUse.length > 0) throw notTheKey(settings, { has: found?.kid, inUse });
  const key = found ?? makeSigningKey(settings);
  await query(`insert into signing_key (kid, public_key, not_before) values ($1, $2, now() - interval '1 minute')`, [
    key.kid,
    Buffer.from(key.publicKey.bytes),
  ]);
  return { key, notAfter: null };
}

function notTheKey(settings: Settings, { has, inUse }: { has: string | undefined; inUse: string[] }): SettingsInvalid {
  const file = signingKeyFile(settings);
  return new SettingsInvalid([
    `SVC_SIGNING_KEY_FILE: this database is signed with ${inUse.join(', ') || 'no key just now'}, and ${file} ${has ? `holds ${has}` : 'does not exist'}. ` +
      'Copy the key file of the process that signs; where it is lost, "svc key create-signing FILE" and "svc key rotate-signing" begin with a new one',
  ]);
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
