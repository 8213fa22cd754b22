import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Listener } from '../database/listener.js';
import { LOG, type Log } from '../observability/log.js';
import { ServiceUnavailable } from '../problem/common-problems.js';
import { CrossTenant, type Query } from '../tenancy/cross-tenant.js';
import { settleKeys } from './begin-key-chain.js';
import type { KeyFile } from './key-files.js';
import type { PeerIdentity } from './peer-identity.js';
import { type KnownKey, KnownKeys, type WholeKeyView } from './known-keys.js';
import { type Purpose, PURPOSES } from '../../evidence/purposes.js';
import type { Es256VerifyingKey } from '../../evidence/forms/signature-keys.js';
import type { Signer } from '../../evidence/signer.js';
import type { EvidenceSigner } from '../../evidence/signing-key.js';

export const KEY_CHANNEL = 'svc_signing_key';

const ROTATED_OUT =
  'the signing key of this process was rotated out; put the key file that signs now in its place and restart';

/** A key of this process that signs for a purpose, and when that ends: never, unless another took its place. */
interface Signing {
  readonly key: EvidenceSigner;
  readonly untilMs: number;
}

/**
 * The keys this process signs with, one for each purpose, and the public keys of the chain. A rotation reaches
 * a running process by NOTIFY; until its old key ends (a minute later) that one is still valid, and after it the
 * process signs nothing.
 */
@Injectable()
export class KeyRing implements OnModuleInit, OnApplicationShutdown {
  private file: KeyFile | undefined;
  /** For each purpose the keys that sign now, the one that ends last first. */
  private signing = new Map<Purpose, Signing[]>();
  private peer: PeerIdentity | undefined;
  private readonly stops: (() => void)[] = [];

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOG) private readonly log: Log,
    private readonly crossTenant: CrossTenant,
    private readonly listener: Listener,
    private readonly knownKeys: KnownKeys,
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
   * The key to sign receipts with now.
   * @throws ServiceUnavailable when it was rotated out: what it signed now would not verify
   */
  get active(): EvidenceSigner {
    return this.keyFor('receipts');
  }

  /** The key to sign exports and packs with now. @throws ServiceUnavailable as for receipts */
  get forExports(): EvidenceSigner {
    return this.keyFor('exports');
  }

  /** The keys to sign checkpoints with now: that of the log, and those before it that have not ended. */
  get logSigners(): [EvidenceSigner, ...EvidenceSigner[]] {
    const [, ...others] = this.signing.get('log') ?? [];
    return [this.keyFor('log'), ...others.filter(isInTime).map(({ key }) => key)];
  }

  /** By which peers know the daemons of this database; undefined where there is no such key yet. */
  get peerIdentity(): PeerIdentity | undefined {
    return this.peer;
  }

  /** Whether the key of the log was rotated out; it may still be valid for a while. */
  get isEnding(): boolean {
    return this.signing.get('log')?.[0]?.untilMs !== Infinity;
  }

  get hasEnded(): boolean {
    return PURPOSES.some((purpose) => !this.signing.get(purpose)?.some(isInTime));
  }

  /** The key on P-256 to sign COSE receipts with now. */
  async findEs256(): Promise<Signer<Es256VerifyingKey> | undefined> {
    const { es256 } = await this.view();
    const inTime = es256.filter(({ term }) => term.until * 1000 > Date.now()).reverse();
    return inTime.flatMap(({ key }) => this.file?.es256.find((held) => held.kid === key.kid) ?? [])[0];
  }

  /** All public keys of the chain, oldest first. */
  async list(): Promise<readonly KnownKey[]> {
    return (await this.view()).known;
  }

  view(): Promise<WholeKeyView> {
    return this.crossTenant.run('read keys', (query) => this.knownKeys.view(query));
  }

  /** For readiness: that the keys sign, and their public halves are published as ones that are in use. */
  async findFault(query: Query): Promise<string | undefined> {
    const known = await this.knownKeys.read(query);
    this.use(known);
    const own = [...this.signing].flatMap(([purpose, [first]]) => (first ? [{ purpose, key: first.key }] : []));
    const fault = await findSigningFault(own);
    if (fault !== undefined) return fault;
    const isPublished = this.file?.keys.some(({ key }) => known.some((one) => one.key.kid === key.kid));
    if (!isPublished) return 'the signing key of this process is not published';
    return this.hasEnded ? ROTATED_OUT : undefined;
  }

  private keyFor(purpose: Purpose): EvidenceSigner {
    if (!this.file) throw new Error('the signing key is not loaded yet');
    const found = this.signing.get(purpose)?.find(isInTime);
    if (!found) throw new ServiceUnavailable({ retryAfterSec: 1 }, `Try another server: ${ROTATED_OUT}`);
    return found.key;
  }

  /** Reads the key file again. */
  private async reload(): Promise<void> {
    const settled = this.crossTenant.run('publish key', (query) => settleKeys(this.settings, query));
    const { file, known, peer } = await settled.catch(async (error: unknown) => {
      // A file that is of no use any more: the keys at hand end when the others say so.
      if (this.file) this.use(await this.list());
      throw error;
    });
    this.knownKeys.forget();
    this.file = file;
    this.peer = peer;
    this.use(known);
    const ending = [...this.signing.values()]
      .flatMap(([first]) => first ?? [])
      .find(({ untilMs }) => untilMs !== Infinity);
    if (ending) this.log.warn({ kid: ending.key.kid, ends_at: new Date(ending.untilMs) }, ROTATED_OUT);
  }

  private use(known: readonly KnownKey[]): void {
    const held = new Map(this.file?.keys.map(({ key }) => [key.kid, key]));
    const signing = (purpose: Purpose): Signing[] =>
      known
        .flatMap(({ key, terms }) => {
          const [own, term] = [held.get(key.kid), terms.get(purpose)];
          return own && term ? [{ key: own, untilMs: term.until * 1000 }] : [];
        })
        .sort((a, b) => (a.untilMs === b.untilMs ? 0 : b.untilMs - a.untilMs));
    this.signing = new Map(PURPOSES.map((purpose) => [purpose, signing(purpose)]));
  }
}

/** That the keys sign, with what a signer outside says. */
export async function findSigningFault(
  keys: readonly { readonly purpose: Purpose; readonly key: EvidenceSigner }[],
): Promise<string | undefined> {
  const probe = Buffer.from(`readiness ${Date.now()}`);
  try {
    for (const { purpose, key } of keys) {
      const [signature] = await key.signAll([probe], purpose);
      if (!signature || !key.publicKey.verify(probe, signature)) return 'the signing key does not sign';
    }
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const isInTime = ({ untilMs }: Signing): boolean => untilMs > Date.now();
