import type { AuthMode } from '../config/daemon/auth-mode.js';
import type { Settings } from '../config/settings.js';
import type { Log } from '../observability/log.js';
import type { Authenticator } from './authenticator.js';
import { DevScopesAuthenticator, OffAuthenticator } from './dev-authenticator.js';
import { withoutSecrets } from './fetch-document.js';
import { JwtAuthenticator } from './jwt-authenticator.js';
import { RemoteKeys } from './remote-keys.js';
import { readSharedSecret, SharedSecret } from './shared-secret.js';
import { readClaims } from './token-claims.js';
import { PUBLIC_KEY_ALGORITHMS, TokenVerifier } from './token-verifier.js';

/**
 * The authenticator of the mode that the settings name.
 * @throws SettingsInvalid where the mode lacks what it needs
 */
export async function makeAuthenticator(mode: AuthMode, settings: Settings, log: Log): Promise<Authenticator> {
  if (mode === 'off') return new OffAuthenticator();
  if (mode === 'dev_scopes') return new DevScopesAuthenticator();
  return mode === 'jwt_hs256' ? bySharedSecret(settings) : byKeySet(settings, log);
}

async function bySharedSecret(settings: Settings): Promise<Authenticator> {
  const { jwtIssuer: issuer, jwtAudience: audience, jwtDefaultTenant } = settings.daemon;
  const keys = new SharedSecret(await readSharedSecret(settings), issuer);
  const hint = `Send Authorization: Bearer <token>, an HS256 token${naming(issuer, audience)}; svc token mints one`;
  const verifier = new TokenVerifier(keys, { algorithms: ['HS256'], audience, hint }, readClaims);
  return new JwtAuthenticator('jwt_hs256', verifier, {}, jwtDefaultTenant);
}

function byKeySet({ daemon }: Settings, log: Log): Authenticator {
  const { jwksUrl, oidcDiscoveryUrl: discoveryUrl, jwtIssuer: issuer, jwtAudience: audience } = daemon;
  const cooldownMs = daemon.jwksCooldownSeconds * 1000;
  const hint = `Send Authorization: Bearer <token>, a token of the identity provider${naming(issuer, audience)}; GET /v1/auth/mode says which`;
  const keys = new RemoteKeys({ jwksUrl, discoveryUrl, issuer, cooldownMs, hint, settings: KEY_SETTINGS }, log);
  const published = {
    jwksUrl: jwksUrl && withoutSecrets(jwksUrl),
    discoveryUrl: discoveryUrl && withoutSecrets(discoveryUrl),
  };
  const verifier = new TokenVerifier(keys, { algorithms: PUBLIC_KEY_ALGORITHMS, audience, hint }, readClaims);
  return new JwtAuthenticator('jwt_jwks', verifier, published, daemon.jwtDefaultTenant);
}

const KEY_SETTINGS = 'SVCD_JWT_JWKS_URL or SVCD_JWT_OIDC_DISCOVERY_URL';

const naming = (issuer: string | undefined, audience: string | undefined): string =>
  `${issuer === undefined ? '' : ` of issuer ${issuer}`}${audience === undefined ? '' : ` for audience ${audience}`}`;
