import { Inject, Injectable } from '@nestjs/common';
import { AUTHENTICATOR, type Authenticator } from '../../../common/bearer-auth/authenticator.js';
import { readBuild } from '../../../common/build-info.js';
import { isFlagOn } from '../../../common/config/daemon/flag-state.js';
import { DAEMON_FLAGS, type DaemonFlagName } from '../../../common/config/daemon/flag-table.js';
import { FEATURE_NAMES, flagVariable, isFeatureOn } from '../../../common/config/feature-flags.js';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { PRO_SERVICES } from '../../../common/contract/scopes.js';
import { SESSION_SCOPES } from '../../../common/contract/session-scopes.js';
import { Unauthorized } from '../../../common/problem/common-problems.js';
import { SessionCheck } from '../../../common/sessions/session-check.js';
import { ConsoleApiService } from '../api/console-api.service.js';
import type { ConsoleConfig, FlagThatIsOff, OidcOfConsole, SessionOfConsole } from './console.dto.js';

/** What the console has to know before anybody has signed in. Holds no secret. */
@Injectable()
export class ConsoleConfigService {
  private readonly version = readBuild().version;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
    private readonly api: ConsoleApiService,
    private readonly sessions: SessionCheck,
  ) {}

  /** @param cookie the header of the request */
  async read(cookie: string | undefined): Promise<ConsoleConfig> {
    const { authMode, routeAuth, consoleSession } = this.settings.daemon;
    const [session, is_reachable] = await Promise.all([
      consoleSession ? this.findSession(cookie) : null,
      this.api.isReachable(),
    ]);
    return {
      version: this.version,
      auth_mode: authMode!,
      route_auth: routeAuth,
      is_session_accepted: consoleSession,
      session,
      dev_scopes: authMode === 'dev_scopes' ? [...SESSION_SCOPES.owner, ...PRO_SERVICES] : [],
      default_tenant: this.settings.bootstrap.tenantId,
      api: { is_reachable },
      oidc: oidcOf(this.settings, this.authenticator) ?? null,
      people_issuer: consoleSession ? peopleIssuerOf(this.settings) : null,
      switched_off: [...daemonFlagsOff(this.settings), ...featuresOff(this.settings)],
    };
  }

  /** A cookie that opens nothing is no failure here: the page shows how to sign in. */
  private async findSession(cookie: string | undefined): Promise<SessionOfConsole | null> {
    const caller = await this.sessions.find(cookie).catch((error: unknown) => {
      if (error instanceof Unauthorized) return undefined;
      throw error;
    });
    if (!caller?.session || caller.role === 'discovery') return null;
    const { seatEmail, apiKeyPrefix } = caller.session;
    return { tenant_id: caller.tenantId, label: seatEmail ?? `key ${apiKeyPrefix}`, role: caller.role };
  }
}

/** The sign-in at an identity provider, where this daemon takes its tokens and knows it. */
export function oidcOf({ daemon }: Settings, authenticator: Authenticator): OidcOfConsole | undefined {
  const { authMode, consoleOidcClientId: client_id, consoleOidcScope: scope } = daemon;
  const { issuer } = authenticator.describe();
  if (authMode !== 'jwt_jwks' || client_id === undefined || issuer === undefined || !URL.canParse(issuer))
    return undefined;
  return { issuer, client_id, scope };
}

const peopleIssuerOf = ({ oidc, people }: Settings): string | null =>
  people.clientId === undefined ? null : (oidc.issuer ?? null);

const daemonFlagsOff = ({ flags }: Settings): FlagThatIsOff[] =>
  (Object.keys(DAEMON_FLAGS) as DaemonFlagName[])
    .filter((name) => !isFlagOn(flags, name))
    .map((name) => {
      const { env: setting, on: value, about, paths } = DAEMON_FLAGS[name];
      return { feature: name, app: 'daemon', setting, value, about, paths: [...paths] };
    });

/** By the settings of this process: those of the API are of the same environment, unless an operator split it. */
const featuresOff = (settings: Settings): FlagThatIsOff[] =>
  FEATURE_NAMES.filter((name) => !isFeatureOn(name, settings)).map((name) => ({
    ...{ feature: name, app: 'api', setting: flagVariable(name), value: name === 'payments' ? '...' : '1', paths: [] },
    about: `Routes of the tenant API under the feature ${name}.`,
  }));
