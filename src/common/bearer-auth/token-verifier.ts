import { hash, type KeyObject } from 'node:crypto';
import { decodeProtectedHeader, type JWSHeaderParameters } from 'jose';
import { decodeExactly } from '../../evidence/base64.js';
import { boundedCache } from '../caches/bounded-cache.js';
import { Strategy, type StrategyOptionsWithoutRequest } from 'passport-jwt';
import { InvalidToken, UnfitToken } from '../problem/daemon-problems.js';
import { MalformedClaim } from './token-claims.js';

/** How far the clocks of issuer and daemon may differ (D35). */
export const LEEWAY_SECONDS = 30;

/** How long a verdict is kept: a key that leaves the key set is accepted for this much longer. */
const CACHE_TTL_MS = 5_000;
const MAX_KEPT = 2_000;

type Algorithm = NonNullable<StrategyOptionsWithoutRequest['algorithms']>[number];

/** What jsonwebtoken verifies with public keys: EdDSA is not among them (docs/decisions/0085). */
export const PUBLIC_KEY_ALGORITHMS: readonly Algorithm[] = [
  ...(['RS256', 'RS384', 'RS512'] as const),
  ...(['PS256', 'PS384', 'PS512'] as const),
  ...(['ES256', 'ES384', 'ES512'] as const),
];

/**
 * Reads the claims of a verified token.
 * @param now milliseconds since 1970
 * @throws MalformedClaim naming the claim
 */
type ClaimReader<C> = (payload: unknown, now: number, leewaySeconds: number) => C;

/** Where the key of a token is found. */
export interface TokenKeys {
  /** What `iss` must be; known once a key was found. */
  readonly issuer: string | undefined;
  /** @throws InvalidToken where there is none, ServiceUnavailable where that cannot be said */
  keyFor(header: JWSHeaderParameters): Promise<KeyObject>;
  prepare?(): Promise<void>;
}

export interface TokenRules {
  /** Pinned: what the token says of its algorithm is held against this list, and never chooses the kind of key. */
  algorithms: readonly Algorithm[];
  audience: string | undefined;
  hint: string;
}

/** What the strategy is given of a request. */
interface Attempt {
  token: string;
  key: KeyObject;
}

/** Verifies tokens by passport-jwt (D35). */
export class TokenVerifier<C extends { exp: number }> {
  private readonly verdicts = boundedCache<C>(MAX_KEPT, CACHE_TTL_MS);
  private strategy: { issuer: string | undefined; checks: Strategy } | undefined;

  constructor(
    readonly keys: TokenKeys,
    readonly rules: TokenRules,
    private readonly reader: ClaimReader<C>,
  ) {}

  /** @throws InvalidToken, ServiceUnavailable */
  async verify(token: string): Promise<C> {
    const digest = hash('sha256', token, 'base64');
    const known = this.verdicts.get(digest);
    if (known) return known;
    const key = await this.keys.keyFor(this.readHeader(token));
    const claims = this.readClaims(await this.check({ token, key }));
    const left = (claims.exp + LEEWAY_SECONDS) * 1000 - Date.now();
    if (left > 1) this.verdicts.set(digest, claims, { ttl: Math.min(CACHE_TTL_MS, Math.floor(left)) });
    return claims;
  }

  /**
   * What has to be right before a key is looked for. jsonwebtoken does not look at `crit` (RFC 7515, 4.1.11) or `typ`
   * (RFC 8725, 3.11); jku, jwk, x5u and x5c are looked at by nobody.
   */
  private readHeader(token: string): JWSHeaderParameters {
    const header = decodeHeader(token);
    if (!header || !decodeExactly(token.slice(token.lastIndexOf('.') + 1), 'base64url'))
      throw this.refusal('The token is not a JSON Web Token');
    const { alg, crit, typ, kid } = header as Record<string, unknown>;
    const { algorithms } = this.rules;
    if (!algorithms.some((accepted) => accepted === alg))
      throw this.refusal(`The algorithm of the token is not accepted; accepted: ${algorithms.join(', ')}`);
    if (crit !== undefined) throw this.refusal('The token has critical extensions, and none is known here');
    if (typ !== undefined && !(typeof typ === 'string' && /^(application\/)?(at\+)?jwt$/i.test(typ)))
      throw this.refusal('The token is of a type that is for something else; accepted: JWT, at+jwt');
    if (kid !== undefined && typeof kid !== 'string') throw this.refusal('The kid of the token is not text');
    return header;
  }

  /** Runs the strategy as passport's own middleware does: on an object of its own that has what a strategy may call. */
  private check(attempt: Attempt): Promise<unknown> {
    return new Promise<unknown>((resolve, reject) => {
      const running = Object.create(this.checks()) as Strategy;
      const outcomes = { success: resolve, fail: reject, error: reject };
      // Typed for Express; this strategy is given nothing else.
      Object.assign(running, outcomes).authenticate(attempt as never);
    }).catch((error: unknown) => {
      throw this.refusalOf(error);
    });
  }

  private checks(): Strategy {
    const { issuer } = this.keys;
    if (this.strategy && this.strategy.issuer === issuer) return this.strategy.checks;
    const checks = new Strategy(
      {
        jwtFromRequest: ({ token }: Attempt) => token,
        // Its types know texts and buffers alone; jsonwebtoken, to which it is handed on, takes key objects.
        secretOrKeyProvider: ({ key }: Attempt, _token, done) => done(null, key as unknown as Buffer),
        algorithms: [...this.rules.algorithms],
        issuer,
        audience: this.rules.audience,
        jsonWebTokenOptions: { clockTolerance: LEEWAY_SECONDS },
      },
      (payload: unknown, done) => done(null, payload),
    );
    this.strategy = { issuer, checks };
    return checks;
  }

  private readClaims(payload: unknown): C {
    try {
      return this.reader(payload, Date.now(), LEEWAY_SECONDS);
    } catch (error) {
      if (error instanceof MalformedClaim) throw this.unfit(error.message);
      throw error;
    }
  }

  private refusal(reason: string): InvalidToken {
    return new InvalidToken({ hint: this.rules.hint }, reason);
  }

  private unfit(reason: string): UnfitToken {
    return new UnfitToken({ hint: this.rules.hint }, reason);
  }

  /** jsonwebtoken verifies the signature before it looks at a claim. */
  private refusalOf(error: unknown): InvalidToken {
    const said = error instanceof Error ? error.message : '';
    const reason = reasonAmong(OF_CLAIMS, said);
    return reason === undefined
      ? this.refusal(reasonAmong(OF_SIGNATURE, said) ?? 'The token is not a valid JSON Web Token')
      : this.unfit(reason);
  }
}

function decodeHeader(token: string): JWSHeaderParameters | undefined {
  try {
    return decodeProtectedHeader(token);
  } catch {
    return undefined;
  }
}

/** What jsonwebtoken says, in text that holds nothing of the token. */
type Reasons = [said: string, reason: string][];
const OF_SIGNATURE: Reasons = [
  ['invalid signature', 'The signature of the token is not that of the key it names'],
  ['jwt signature is required', 'The token is not signed'],
];
const OF_CLAIMS: Reasons = [
  ['jwt expired', 'The token has expired'],
  ['invalid exp value', 'The exp of the token is not a number of seconds since 1970'],
  ['invalid nbf value', 'The nbf of the token is not a number of seconds since 1970'],
  ['jwt not active', 'The token is not valid yet'],
  ['jwt audience invalid', 'The token is for another audience'],
  ['jwt issuer invalid', 'The token is of another issuer'],
];

const reasonAmong = (reasons: Reasons, said: string): string | undefined =>
  reasons.find(([beginning]) => said.startsWith(beginning))?.[1];
