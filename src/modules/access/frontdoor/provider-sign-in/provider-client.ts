import { Inject, Injectable } from '@nestjs/common';
import * as oauth from 'oauth4webapi';
import { consoleUrlOf } from '../../../../common/config/server-urls.js';
import { SETTINGS, type Settings } from '../../../../common/config/settings.js';
import { LOG, type Log } from '../../../../common/observability/log.js';
import { FeatureDisabled, Unauthorized } from '../../../../common/problem/common-problems.js';
import { ProviderUnavailable } from '../frontdoor.problems.js';

/** What the way back is checked by; it stays with who signs in, encrypted. */
export interface PendingSignIn {
  state: string;
  nonce: string;
  verifier: string;
}

/** What the provider added to the address of the way back. */
export interface ProviderAnswer {
  code: string;
  state: string;
  iss?: string;
}

const DISCOVERY_MS = 10 * 60_000;
const TIMEOUT_MS = 5_000;

/**
 * The identity provider of SVC_OIDC_ISSUER as a client sees it: authorization code flow (RFC 6749) with PKCE
 * (RFC 7636), a nonce, and the issuer in the answer where the provider gives it (RFC 9207).
 */
@Injectable()
export class ProviderClient {
  private known: { server: Promise<oauth.AuthorizationServer>; until: number } | undefined;
  private readonly keys: oauth.JWKSCacheInput = {};

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** @throws FeatureDisabled where no provider is set; ProviderUnavailable */
  async begin(): Promise<{ address: string; pending: PendingSignIn }> {
    const { client } = this.configured();
    const server = await this.discover();
    const pending = {
      state: oauth.generateRandomState(),
      nonce: oauth.generateRandomNonce(),
      verifier: oauth.generateRandomCodeVerifier(),
    };
    const address = new URL(server.authorization_endpoint!);
    const parameters = {
      client_id: client.client_id,
      redirect_uri: consoleUrlOf(this.settings),
      response_type: 'code',
      scope: this.settings.people.scopes,
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier),
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
    return { address: address.href, pending };
  }

  /**
   * The claims about who signed in: of the ID token, and of UserInfo where that has no e-mail address.
   * @throws Unauthorized where the provider's answer does not hold, or its code was used; ProviderUnavailable
   */
  async finish(answer: ProviderAnswer, pending: PendingSignIn): Promise<Record<string, unknown>> {
    const { client, authentication } = this.configured();
    const server = await this.discover();
    try {
      const parameters = oauth.validateAuthResponse(server, client, new URLSearchParams({ ...answer }), pending.state);
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        authentication(server),
        parameters,
        consoleUrlOf(this.settings),
        pending.verifier,
        this.options(),
      );
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
        expectedNonce: pending.nonce,
        requireIdToken: true,
      });
      await oauth.validateApplicationLevelSignature(server, response, {
        ...this.options(),
        [oauth.jwksCache]: this.keys,
      });
      const claims = oauth.getValidatedIdTokenClaims(tokens)!;
      if (claims['email'] !== undefined || server.userinfo_endpoint === undefined) return { ...claims };
      const about = await oauth.userInfoRequest(server, client, tokens.access_token, this.options());
      return { ...claims, ...(await oauth.processUserInfoResponse(server, client, claims.sub, about)) };
    } catch (error) {
      throw this.explain(error);
    }
  }

  private configured(): {
    client: oauth.Client;
    authentication: (server: oauth.AuthorizationServer) => oauth.ClientAuth;
  } {
    const { issuer } = this.settings.oidc;
    const { clientId, clientSecret } = this.settings.people;
    if (issuer === undefined || clientId === undefined)
      throw new FeatureDisabled(
        { feature: 'provider-sign-in' },
        'The operator sets SVC_OIDC_ISSUER and SVC_OIDC_CLIENT_ID',
      );
    return {
      client: { client_id: clientId },
      authentication: ({ token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] }) => {
        if (clientSecret === undefined) return oauth.None();
        return methods.includes('client_secret_basic')
          ? oauth.ClientSecretBasic(clientSecret)
          : oauth.ClientSecretPost(clientSecret);
      },
    };
  }

  private discover(): Promise<oauth.AuthorizationServer> {
    if (this.known && this.known.until > Date.now()) return this.known.server;
    const server = this.readMetadata();
    const known = { server, until: Date.now() + DISCOVERY_MS };
    this.known = known;
    server.catch(() => {
      if (this.known === known) this.known = undefined;
    });
    return server;
  }

  private async readMetadata(): Promise<oauth.AuthorizationServer> {
    const issuer = new URL(this.settings.oidc.issuer!);
    try {
      const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, this.options()));
      if (!server.authorization_endpoint) throw new Error('it names no authorization endpoint');
      return server;
    } catch (error) {
      throw this.away(error);
    }
  }

  /** Plain http for a provider that the operator named so. */
  private options() {
    const isPlain = this.settings.oidc.issuer!.startsWith('http:');
    return { [oauth.allowInsecureRequests]: isPlain, signal: AbortSignal.timeout(TIMEOUT_MS) };
  }

  /** The same whatever is wrong: what the provider said is in the log. */
  private explain(error: unknown): Error {
    const isRefusal =
      error instanceof oauth.ResponseBodyError ||
      error instanceof oauth.AuthorizationResponseError ||
      (error instanceof oauth.OperationProcessingError && error.code !== oauth.RESPONSE_IS_NOT_CONFORM);
    if (!isRefusal) return this.away(error);
    this.log.warn({ error }, 'a sign-in at the identity provider was refused');
    return new Unauthorized({}, 'The answer of the identity provider does not hold or was used before: sign in again');
  }

  private away(error: unknown): ProviderUnavailable {
    this.log.warn({ error }, 'the identity provider did not answer as it should');
    return new ProviderUnavailable(
      {},
      'SVC_OIDC_ISSUER does not answer, or not as an OpenID Provider; the cause is in the log',
    );
  }
}
