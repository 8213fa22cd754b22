import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { KeyRing } from '../../../common/evidence-log/key-ring.js';
import { publishedKeys } from '../../../common/evidence-log/published-keys.js';
import type { SigningKeySet } from '../../../common/evidence-log/signing-keys.dto.js';
import { AUTHENTICATOR, type Authenticator } from '../../../common/bearer-auth/authenticator.js';
import { LEEWAY_SECONDS } from '../../../common/bearer-auth/token-verifier.js';
import type { AuthModeReply } from './auth.dto.js';

/** What anybody may know of keys and credentials. */
@Injectable()
export class AuthService {
  constructor(
    private readonly keys: KeyRing,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
  ) {}

  async listKeys(): Promise<SigningKeySet> {
    return { keys: publishedKeys(await this.keys.view()) };
  }

  describeMode(): AuthModeReply {
    const { authMode, routeAuth, consoleSession } = this.settings.daemon;
    const { hint, algorithms, issuer, audience, jwksUrl, discoveryUrl } = this.authenticator.describe();
    return {
      mode: authMode!,
      route_auth: routeAuth,
      credential: hint,
      session: consoleSession,
      algorithms: [...algorithms],
      issuer,
      audience,
      discovery_url: discoveryUrl,
      jwks_url: jwksUrl,
      leeway_seconds: LEEWAY_SECONDS,
    };
  }
}
