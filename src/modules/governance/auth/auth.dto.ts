import { AUTH_MODES, type AuthMode } from '../../../common/config/daemon/auth-mode.js';
import { ROUTE_AUTH_MODES, type RouteAuthMode } from '../../../common/config/daemon/daemon-settings.js';
import { Choice, Flag, Integer, Text, TextList } from '../../../common/fields/fields.js';

/** How the daemon finds out who calls. */
export class AuthModeReply {
  @Choice({ about: 'SVCD_AUTH_MODE.', values: AUTH_MODES })
  mode!: AuthMode;

  @Choice({ about: 'SVCD_ROUTE_AUTH.', values: ROUTE_AUTH_MODES })
  route_auth!: RouteAuthMode;

  @Text({ about: 'What to send with a request.' })
  credential!: string;

  @Flag({ about: 'Whether the cookie of a session of the tenant API is taken too (SVCD_CONSOLE_SESSION).' })
  session!: boolean;

  @TextList({ about: 'Signature algorithms of tokens (RFC 7518); empty in the modes that take none.' })
  algorithms!: string[];

  @Text({ about: 'What the `iss` of a token must be; missing where any will do.', optional: true })
  issuer?: string;

  @Text({ about: 'What the `aud` of a token must hold; missing where any will do.', optional: true })
  audience?: string;

  @Text({ about: 'The identity provider, where it is found by discovery.', optional: true })
  discovery_url?: string;

  @Text({ about: 'The JWK Set of the identity provider, where it is set.', optional: true })
  jwks_url?: string;

  @Integer({ about: 'By how much the clocks of issuer and daemon may differ, in seconds.' })
  leeway_seconds!: number;
}
