import { KeyObject, type webcrypto } from 'node:crypto';
import { createRemoteJWKSet, customFetch, errors, type JWSHeaderParameters, type RemoteJWKSet } from 'jose';
import type { Log } from '../observability/log.js';
import { ServiceUnavailable } from '../problem/common-problems.js';
import { InvalidToken } from '../problem/daemon-problems.js';
import { fetchDocument, withoutSecrets } from './fetch-document.js';
import type { TokenKeys } from './token-verifier.js';

export interface KeyAddresses {
  /** The JWK Set, where it is known; else the discovery document names it. */
  jwksUrl: string | undefined;
  discoveryUrl: string | undefined;
  /** What `iss` must be whatever the discovery document says. */
  issuer: string | undefined;
  /** Least time between two looks for keys that are not known. */
  cooldownMs: number;
  hint: string;
  /** What names the addresses. */
  settings: string;
}

/** After so long the keys at hand are read again, so that one that was withdrawn ends. */
const FRESH_MS = 600_000;
/** Who comes after nobody has looked for so long waits for that reading: nothing was withdrawn meanwhile. */
const OVERDUE_MS = 2 * FRESH_MS;
const MIN_RSA_BITS = 2048;

/**
 * The keys of jwt_jwks: read with jose, kept, and read again on a kid that is not among them, at most once a cool-down.
 * While the provider is down the keys at hand go on working. jose itself would refuse all of them once they are ten
 * minutes old, so when to read is decided here.
 */
export class RemoteKeys implements TokenKeys {
  private set: RemoteJWKSet | undefined;
  private setUrl: string | undefined;
  private foundIssuer: string | undefined;
  private readAt = -Infinity;
  /** The last look that was for a key not known, or that failed. */
  private lookedAt = -Infinity;
  private hasFailed = false;
  private reading: Promise<void> | undefined;
  /** A reading that all who come wait for. */
  private overdue: Promise<void> | undefined;
  private readonly handles = new WeakMap<object, KeyObject>();

  constructor(
    private readonly where: KeyAddresses,
    private readonly log: Log,
  ) {}

  get issuer(): string | undefined {
    return this.where.issuer ?? this.foundIssuer;
  }

  /** A provider that is not up yet does not keep the daemon from starting: it may well start later. */
  async prepare(): Promise<void> {
    await this.read().catch(() => undefined);
  }

  async keyFor(header: JWSHeaderParameters): Promise<KeyObject> {
    if (!this.set) await this.lookAgain();
    else if (this.overdue || this.isOverdue()) await this.readFirst();
    else if (Date.now() - this.readAt > FRESH_MS && this.isCool()) this.readBehind();
    const found = await this.find(header);
    if (found) return found;
    if (!this.reading && !this.isCool()) throw this.hasFailed ? this.unavailable() : this.unknownKey();
    await this.lookAgain();
    const nowFound = await this.find(header);
    if (!nowFound) throw this.unknownKey();
    return nowFound;
  }

  private async find(header: JWSHeaderParameters): Promise<KeyObject | undefined> {
    try {
      return this.handleOf(await this.set!(header));
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) return undefined;
      if (error instanceof errors.JWKSMultipleMatchingKeys)
        throw this.refusal('The token does not say which key it is signed with (kid), and there are several');
      if (error instanceof InvalidToken) throw error;
      throw this.refusal('The key that the token names cannot be used');
    }
  }

  private handleOf(key: webcrypto.CryptoKey): KeyObject {
    const known = this.handles.get(key);
    if (known) return known;
    const handle = KeyObject.from(key);
    const bits = handle.asymmetricKeyDetails?.modulusLength;
    if (bits !== undefined && bits < MIN_RSA_BITS)
      throw this.refusal(`The key that the token names has fewer than ${MIN_RSA_BITS} bits`);
    this.handles.set(key, handle);
    return handle;
  }

  private isCool(): boolean {
    return Date.now() - this.lookedAt >= this.where.cooldownMs;
  }

  /** @throws ServiceUnavailable when the keys cannot be read */
  private async lookAgain(): Promise<void> {
    if (!this.reading && !this.isCool()) throw this.unavailable();
    if (!this.reading) this.lookedAt = Date.now();
    try {
      await this.read();
    } catch {
      throw this.unavailable();
    }
  }

  private isOverdue(): boolean {
    return Date.now() - Math.max(this.readAt, this.lookedAt) > OVERDUE_MS;
  }

  /** Where it fails the keys at hand go on working. */
  private async readFirst(): Promise<void> {
    this.overdue ??= this.lookAgain()
      .catch(() => undefined)
      .finally(() => (this.overdue = undefined));
    await this.overdue;
  }

  private readBehind(): void {
    this.lookedAt = Date.now();
    this.read().catch(() => undefined);
  }

  /** One at a time, however many ask. */
  private read(): Promise<void> {
    this.reading ??= this.readNow().finally(() => (this.reading = undefined));
    return this.reading;
  }

  private async readNow(): Promise<void> {
    try {
      const { jwksUrl, issuer } = await this.locate();
      if (!this.set || this.setUrl !== jwksUrl) await this.open(jwksUrl);
      else await this.set.reload();
      this.foundIssuer = issuer;
      this.readAt = Date.now();
      this.hasFailed = false;
    } catch (error) {
      this.lookedAt = Date.now();
      this.hasFailed = true;
      const { jwksUrl, discoveryUrl } = this.where;
      const from = withoutSecrets((jwksUrl ?? discoveryUrl)!);
      this.log.warn({ error, from, keys_at_hand: this.set !== undefined }, 'the keys of tokens cannot be read');
      throw error;
    }
  }

  private async open(jwksUrl: string): Promise<void> {
    const set = createRemoteJWKSet(new URL(jwksUrl), {
      cacheMaxAge: Infinity,
      cooldownDuration: Infinity,
      [customFetch]: fetchDocument,
    });
    await set.reload();
    this.set = set;
    this.setUrl = jwksUrl;
  }

  private async locate(): Promise<{ jwksUrl: string; issuer: string | undefined }> {
    const { jwksUrl, discoveryUrl } = this.where;
    if (discoveryUrl === undefined) return { jwksUrl: jwksUrl!, issuer: undefined };
    const found = await discover(discoveryUrl);
    return { jwksUrl: jwksUrl ?? found.jwksUrl, issuer: found.issuer };
  }

  private unavailable(): ServiceUnavailable {
    const left = this.lookedAt + this.where.cooldownMs - Date.now();
    return new ServiceUnavailable(
      { retryAfterSec: Math.max(1, Math.ceil(left / 1000)) },
      `The key that this token names is not among those at hand, and the keys (${this.where.settings}) cannot be read just now`,
    );
  }

  private unknownKey(): InvalidToken {
    return this.refusal('The token is signed with a key that is not in the key set');
  }

  private refusal(reason: string): InvalidToken {
    return new InvalidToken({ hint: this.where.hint }, reason);
  }
}

const WELL_KNOWN = '/.well-known/openid-configuration';

/**
 * Of a provider, or of its discovery document (OpenID Connect Discovery 1.0, 4).
 * @throws Error saying what the document lacks
 */
async function discover(address: string): Promise<{ jwksUrl: string; issuer: string }> {
  const url = new URL(address);
  if (!url.pathname.endsWith(WELL_KNOWN)) url.pathname = url.pathname.replace(/\/$/, '') + WELL_KNOWN;
  const document: unknown = await (await fetchDocument(url, { headers: { accept: 'application/json' } })).json();
  const { issuer, jwks_uri: jwksUrl } = (document ?? {}) as Record<string, unknown>;
  if (typeof issuer !== 'string' || issuer === '') throw new Error('the discovery document names no issuer');
  if (typeof jwksUrl !== 'string' || !URL.canParse(jwksUrl))
    throw new Error('the discovery document names no jwks_uri');
  const { protocol } = new URL(jwksUrl);
  if (protocol !== 'https:' && !(protocol === 'http:' && url.protocol === 'http:'))
    throw new Error(`the discovery document was read over ${url.protocol} and names a jwks_uri of ${protocol}`);
  return { jwksUrl, issuer };
}
