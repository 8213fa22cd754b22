import * as oauth from 'oauth4webapi';
import { hasEnded, nameOf, shownIdentity, type Identity } from '../client/identity.ts';
import { keepDrafts } from '../components/drafts.ts';
import type { ConsoleConfig } from './console-config.ts';
import { claimsOf } from './token-claims.ts';

type Provider = NonNullable<ConsoleConfig['oidc']>;
type TokenIdentity = Extract<Identity, { kind: 'token' }>;

/** What the way back needs: kept for this tab and this one sign-in; neither is of use without the other's answer. */
const PENDING = 'svc console sign-in';
interface Pending {
  verifier: string;
  state: string;
  hash: string;
}

const returnAddress = (): string => location.href.replace(/[?#].*$/, '');

async function discover({ issuer }: Provider): Promise<oauth.AuthorizationServer> {
  const address = new URL(issuer);
  const options = { [oauth.allowInsecureRequests]: address.protocol === 'http:' };
  return oauth.processDiscoveryResponse(address, await oauth.discoveryRequest(address, options));
}

/** Leaves for the provider's page (RFC 6749 with PKCE, RFC 7636). */
export async function startOidcSignIn(provider: Provider): Promise<void> {
  const server = await discover(provider);
  if (!server.authorization_endpoint) throw new Error(`${provider.issuer} names no authorization endpoint`);
  const pending: Pending = {
    verifier: oauth.generateRandomCodeVerifier(),
    state: oauth.generateRandomState(),
    hash: location.hash,
  };
  sessionStorage.setItem(PENDING, JSON.stringify(pending));
  if (hasEnded()) keepDrafts(nameOf(shownIdentity()!));
  const address = new URL(server.authorization_endpoint);
  address.search = new URLSearchParams({
    client_id: provider.client_id,
    redirect_uri: returnAddress(),
    response_type: 'code',
    scope: provider.scope,
    state: pending.state,
    code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: 'S256',
  }).toString();
  location.assign(address);
}

export interface OidcTokens {
  token: string;
  /** Who signed in there; by it the provider ends its own session. */
  idToken: string | undefined;
}

/** @returns undefined when the page was not reached from a provider */
export async function finishOidcSignIn(provider: Provider): Promise<OidcTokens | undefined> {
  const stored = sessionStorage.getItem(PENDING);
  const address = new URL(location.href);
  if (stored === null || !address.searchParams.has('state')) return undefined;
  sessionStorage.removeItem(PENDING);
  const { verifier, state, hash } = JSON.parse(stored) as Pending;
  // The code is of one use, and out of the address before it is used.
  history.replaceState(null, '', returnAddress() + hash);
  const server = await discover(provider);
  const client: oauth.Client = { client_id: provider.client_id };
  const parameters = oauth.validateAuthResponse(server, client, address, state);
  const options = { [oauth.allowInsecureRequests]: new URL(provider.issuer).protocol === 'http:' };
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    parameters,
    returnAddress(),
    verifier,
    options,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response);
  return { token: tokens.access_token, idToken: tokens.id_token };
}

/**
 * Leaves for the provider's page that ends its own session, where it names one, and comes back from there (OpenID
 * Connect RP-Initiated Logout 1.0). What stands in the address says who signed in, and opens nothing: where the daemon
 * takes tokens that are for this client, the provider has to ask instead (0300).
 */
export async function endOidcSession(provider: Provider, { token, idToken }: TokenIdentity): Promise<void> {
  const { end_session_endpoint: endpoint } = await discover(provider);
  if (!endpoint || idToken === undefined) return;
  const address = new URL(endpoint);
  address.searchParams.set('client_id', provider.client_id);
  if (!claimsOf(token).audience.includes(provider.client_id)) address.searchParams.set('id_token_hint', idToken);
  address.searchParams.set('post_logout_redirect_uri', returnAddress());
  location.assign(address);
}
