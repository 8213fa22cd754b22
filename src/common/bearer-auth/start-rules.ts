import { AUTH_MODES, isDevMode, type AuthMode } from '../config/daemon/auth-mode.js';
import { SettingsInvalid, type Settings } from '../config/settings.js';
import { isLoopback } from '../http/bound-address.js';

/**
 * The mode the daemon starts in (memory-daemon.md 5.1).
 * @throws SettingsInvalid saying what to set: there is no default, a mode that accepts unproved claims is for loopback
 * alone, and keys must be somewhere
 */
export function authModeToStartIn({ daemon }: Pick<Settings, 'daemon'>): AuthMode {
  const { authMode, jwksUrl, oidcDiscoveryUrl } = daemon;
  if (authMode === undefined)
    throw new SettingsInvalid([
      `SVCD_AUTH_MODE is not set, and the daemon has no default for it. Set it to one of ${AUTH_MODES.join(', ')} (dev_scopes for trying out, jwt_hs256 or jwt_jwks otherwise).`,
    ]);
  const outside = bindingsOf(daemon).filter(({ host }) => !isLoopback(host));
  if (isDevMode(authMode) && outside.length > 0 && !daemon.allowInsecureDevAuthBind)
    throw new SettingsInvalid(
      outside.map(
        ({ setting, host }) =>
          `SVCD_AUTH_MODE=${authMode} accepts what callers claim about themselves, and ${setting}=${host} is no loopback address. Bind loopback, use jwt_hs256 or jwt_jwks, or set SVCD_ALLOW_INSECURE_DEV_AUTH_BIND=1.`,
      ),
    );
  if (daemon.observeRedact === 'off' && !isDevMode(authMode))
    throw new SettingsInvalid([
      `SVCD_OBSERVE_REDACT=off keeps what secrets and personal data observed steps hold; it is for SVCD_AUTH_MODE=off and dev_scopes alone. With ${authMode} set audit or strict, or leave it out.`,
    ]);
  if (authMode === 'jwt_jwks' && jwksUrl === undefined && oidcDiscoveryUrl === undefined)
    throw new SettingsInvalid([
      'SVCD_AUTH_MODE=jwt_jwks needs the keys of your identity provider: set SVCD_JWT_OIDC_DISCOVERY_URL to the provider, or SVCD_JWT_JWKS_URL to its JWK Set.',
    ]);
  return authMode;
}

/** The addresses that are not loopback, for a warning at the start. */
export const bindingsBeyondLoopback = ({ daemon }: Pick<Settings, 'daemon'>): string[] =>
  bindingsOf(daemon)
    .filter(({ host }) => !isLoopback(host))
    .map(({ setting, host }) => `${setting}=${host}`);

const bindingsOf = ({ httpHost, mcpHost, grpcHost }: Settings['daemon']) => [
  { setting: 'SVCD_HTTP_HOST', host: httpHost },
  { setting: 'SVCD_MCP_HOST', host: mcpHost },
  { setting: 'SVCD_GRPC_HOST', host: grpcHost },
];
