import { AUTH_MODES, type AuthMode } from '../../../common/config/daemon/auth-mode.js';
import { ROUTE_AUTH_MODES, type RouteAuthMode } from '../../../common/config/daemon/daemon-settings.js';
import { SEAT_ROLES, type SeatRole } from '../../../common/contract/contract.js';
import { Choice, Flag, ListOf, Nested, Text, TextList } from '../../../common/fields/fields.js';

export class AssetPath {
  @Text({ about: 'The name of a file that the build made; it has a digest of the content in it.', max: 200 })
  file!: string;
}

/** The identity provider to sign in at, by the authorization code flow with PKCE. */
export class OidcOfConsole {
  @Text({ about: 'Its address; /.well-known/openid-configuration below it says the rest.' })
  issuer!: string;

  @Text({ about: 'SVCD_CONSOLE_OIDC_CLIENT_ID.' })
  client_id!: string;

  @Text({ about: 'SVCD_CONSOLE_OIDC_SCOPE.' })
  scope!: string;
}

/** Something of the product that is switched off here, with what switches it on. */
export class FlagThatIsOff {
  @Text({ about: 'The name of the flag.' })
  feature!: string;

  @Choice({ about: 'Whose routes it opens.', values: ['daemon', 'api'] })
  app!: 'daemon' | 'api';

  @Text({ about: 'The environment variable.' })
  setting!: string;

  @Text({ about: 'What to set it to.' })
  value!: string;

  @Text({ about: 'What it is for.' })
  about!: string;

  @TextList({ about: 'The addresses that it opens; a closing `*` takes in all that begin so.' })
  paths!: string[];
}

/** The tenant API, at which people sign in. */
export class ApiOfConsole {
  @Flag({ about: 'Whether it answered the daemon, at most two seconds ago.' })
  is_reachable!: boolean;
}

/** The session of the request's own cookie. */
export class SessionOfConsole {
  @Text({ about: 'Its tenant.' })
  tenant_id!: string;

  @Text({ about: 'Who signed in: the e-mail address of a seat, or the part of an API key that is no secret.' })
  label!: string;

  @Choice({ about: 'What it may do.', values: SEAT_ROLES })
  role!: SeatRole;
}

/** What the console has to know before anybody has signed in. */
export class ConsoleConfig {
  @Text({ about: 'The version of svc.' })
  version!: string;

  @Choice({ about: 'SVCD_AUTH_MODE.', values: AUTH_MODES })
  auth_mode!: AuthMode;

  @Choice({ about: 'SVCD_ROUTE_AUTH.', values: ROUTE_AUTH_MODES })
  route_auth!: RouteAuthMode;

  @Flag({ about: 'Whether routes of the daemon take the cookie of a session (SVCD_CONSOLE_SESSION).' })
  is_session_accepted!: boolean;

  @Nested({
    about: 'The session of the cookie that came with the request; null where there is none that lasts.',
    type: () => SessionOfConsole,
    nullable: true,
  })
  session!: SessionOfConsole | null;

  @TextList({
    about: 'With SVCD_AUTH_MODE=dev_scopes what the page sends as X-Svc-Scopes: all that works in one tenant.',
  })
  dev_scopes!: string[];

  @Text({ about: 'The tenant of callers that name none.' })
  default_tenant!: string;

  @Nested({ about: 'The tenant API; /console/api leads to it.', type: () => ApiOfConsole })
  api!: ApiOfConsole;

  @Nested({ about: 'null where the console offers no such sign-in.', type: () => OidcOfConsole, nullable: true })
  oidc!: OidcOfConsole | null;

  @Text({
    about:
      'Where people sign in for a session of their seat (SVC_OIDC_ISSUER, SVC_OIDC_CLIENT_ID); null where they do not.',
    nullable: true,
  })
  people_issuer!: string | null;

  @ListOf({ about: 'What is switched off.', type: () => FlagThatIsOff })
  switched_off!: FlagThatIsOff[];
}
