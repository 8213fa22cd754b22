import { Inject, Injectable } from '@nestjs/common';
import { decodeJwt } from 'jose';
import { RemoteKeys } from '../bearer-auth/remote-keys.js';
import { PUBLIC_KEY_ALGORITHMS, TokenVerifier } from '../bearer-auth/token-verifier.js';
import type { HowToSignIn } from '../bearer-auth/challenge.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import type { TenantCaller } from '../contract/caller.js';
import { LOG, type Log } from '../observability/log.js';
import { Forbidden, NotFound, Unauthorized } from '../problem/common-problems.js';
import { MissingScope } from '../problem/daemon-problems.js';
import { inactiveTenant } from '../tenancy/tenant-state.js';
import { missingScopes, readAccessTokenClaims, type AccessTokenClaims } from './access-token-claims.rules.js';
import { MCP_URL } from './mcp-url.js';
import {
  protectedResource,
  type ProtectedResource,
  type ProtectedResourceMetadata,
} from './protected-resource.rules.js';
import { SeatCheck, type SeatCaller } from './seat-check.js';

/**
 * The access tokens of SVC_OIDC_ISSUER at the MCP endpoint of this process: JSON Web Tokens (RFC 9068) whose audience
 * is the endpoint (RFC 8707). Each says who somebody is that has a seat; it does what the seat may, and ends with it
 * (docs/decisions/0338).
 */
@Injectable()
export class AccessTokens {
  /** undefined where none are taken. */
  readonly resource: (ProtectedResource & HowToSignIn) | undefined;
  private readonly verifier: TokenVerifier<AccessTokenClaims> | undefined;
  private readonly audience: string | undefined;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(MCP_URL) mcpUrl: string | null,
    @Inject(LOG) log: Log,
    private readonly seats: SeatCheck,
  ) {
    const { issuer, audience, scopes, personClaim, tenantClaim } = settings.oidc;
    if (issuer === undefined || mcpUrl === null) return;
    this.resource = protectedResource(mcpUrl, issuer, scopes);
    this.audience = audience ?? mcpUrl;
    const hint = `Sign in at ${issuer} for an access token with the audience ${this.audience}; ${this.resource.metadataUrl} says how`;
    const names = { person: personClaim, tenant: tenantClaim };
    this.verifier = new TokenVerifier(
      new RemoteKeys(
        {
          ...{ jwksUrl: undefined, discoveryUrl: issuer, issuer, hint },
          ...{ cooldownMs: settings.daemon.jwksCooldownSeconds * 1000, settings: 'of SVC_OIDC_ISSUER' },
        },
        log,
      ),
      { algorithms: PUBLIC_KEY_ALGORITHMS, audience: this.audience, hint },
      (payload, now, leeway) => readAccessTokenClaims(names, payload, now, leeway),
    );
  }

  /** @throws NotFound where none are taken */
  readMetadata(): ProtectedResourceMetadata {
    if (this.resource) return this.resource.metadata;
    throw new NotFound({}, 'No access tokens are taken here; the operator sets SVC_OIDC_ISSUER');
  }

  /** Whether a bearer is looked at as one: a key or the token of an agent has another form. */
  take(bearer: string | undefined): bearer is string {
    return this.verifier !== undefined && bearer !== undefined && JSON_WEB_TOKEN.test(bearer);
  }

  /** Whether it says of itself that it is one, which nothing of it proves. */
  claims(bearer: string): boolean {
    const { iss, aud } = contentOf(bearer);
    return iss === this.settings.oidc.issuer && this.audience !== undefined && [aud].flat().includes(this.audience);
  }

  /**
   * Who presents it.
   * @param selected the tenant that the request names
   * @throws InvalidToken; MissingScope; Forbidden where no seat is meant, or it is not known which; Unauthorized where
   * its tenant is not active; ServiceUnavailable where its key can be looked up nowhere just now
   */
  async find(bearer: string, selected: string | undefined): Promise<TenantCaller> {
    const { scopes, person, tenant } = await this.verifier!.verify(bearer);
    const missing = missingScopes(this.settings.oidc.scopes, scopes);
    if (missing.length > 0)
      throw new MissingScope({ missingScopes: missing }, 'The access token lacks a scope; sign in again for it');
    if (person === undefined) throw new Forbidden({}, this.namesNobody());
    const { tenantClaim } = this.settings.oidc;
    if (tenantClaim !== undefined && tenant === undefined)
      throw new Forbidden({}, `The access token has no claim ${tenantClaim} that names the tenant`);
    if (tenant !== undefined && selected !== undefined && tenant !== selected)
      throw new Forbidden({}, 'headers.x-tenant-id names another tenant than the access token');
    return callerIn(await this.seats.of(person), tenant ?? selected);
  }

  private namesNobody(): string {
    const { personClaim } = this.settings.oidc;
    return personClaim === 'email'
      ? 'The access token needs the claim email and email_verified: true; the operator lets the provider add them, or names another claim in SVC_OIDC_PERSON_CLAIM'
      : `The access token needs the claim ${personClaim} with the e-mail address of a seat; the operator lets the provider add it`;
  }
}

/** A header that begins with `{"`; of one that is not signed the last part is empty. */
const JSON_WEB_TOKEN = /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/;

function contentOf(bearer: string): ReturnType<typeof decodeJwt> {
  try {
    return decodeJwt(bearer);
  } catch {
    return {};
  }
}

/** @throws Forbidden, Unauthorized */
function callerIn(seats: readonly SeatCaller[], wanted: string | undefined): TenantCaller {
  const meant = seats.filter(({ tenantId, state }) =>
    wanted === undefined ? seats.length === 1 || state === 'active' : tenantId === wanted,
  );
  const [found] = meant;
  if (!found) throw new Forbidden({}, wanted === undefined ? NO_SEAT : NO_SEAT_THERE);
  if (meant.length > 1) throw new Forbidden({}, SEVERAL);
  const { state, ...caller } = found;
  if (state !== 'active') throw new Unauthorized({}, inactiveTenant(state));
  return caller;
}

const INVITE = 'let an owner or admin invite that e-mail address (POST /v1/org/invite), and accept the invitation';
const NO_SEAT = `The person of the access token has no seat here; ${INVITE}`;
const NO_SEAT_THERE = `The person of the access token has no seat in this tenant; ${INVITE}`;
const SEVERAL =
  'The person of the access token has seats in several tenants; send x-tenant-id, or let the provider name the tenant in a claim (SVC_OIDC_TENANT_CLAIM)';
