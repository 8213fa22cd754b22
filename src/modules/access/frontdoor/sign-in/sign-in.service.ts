import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import type { TenantCaller } from '../../../../common/contract/caller.js';
import { KeyCheck } from '../../../../common/keys/key-check.js';
import { Metrics } from '../../../../common/observability/metrics.js';
import { Unauthorized } from '../../../../common/problem/common-problems.js';
import { SessionCheck } from '../../../../common/sessions/session-check.js';
import { Sessions } from '../../../../common/sessions/sessions.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { Throttle } from '../../../../common/throttle/throttle.js';
import { LoginThrottled } from '../frontdoor.problems.js';
import type { FrontdoorAuthConnectRequest, FrontdoorAuthSession, FrontdoorLogoutResponse } from './sign-in.dto.js';

/** Signs browsers in with an API key, describes their session, and signs them out. */
@Injectable()
export class SignInService {
  private readonly results: Counter<'result'>;

  constructor(
    private readonly throttle: Throttle,
    private readonly keys: KeyCheck,
    private readonly sessions: Sessions,
    private readonly sessionCheck: SessionCheck,
    private readonly tenancy: Tenancy,
    metrics: Metrics,
  ) {
    this.results = metrics.counter(
      'svc_sign_in_total',
      'Attempts to sign in with an API key, by result: opened, refused (wrong tenant or key), throttled.',
      ['result'],
    );
  }

  /**
   * Opens a session for the holder of the key.
   * @param address where the request comes from, as failures are counted
   * @throws LoginThrottled; Unauthorized, in the same words whatever is wrong
   */
  async connect(
    { tenantId, apiKey }: FrontdoorAuthConnectRequest,
    address: string,
  ): Promise<{ session: FrontdoorAuthSession; cookie: string }> {
    const attempt = await this.throttle.admitSignIn(address, tenantId);
    if ('wait' in attempt) throw this.refuse('throttled', throttled(attempt.wait));
    const caller = await this.keys.find(tenantId, apiKey);
    if (!caller)
      throw this.refuse('refused', new Unauthorized({}, 'body.tenantId and body.apiKey do not belong together'));
    const { keyId, prefix } = caller;
    const opened = await this.tenancy.run(tenantId, () => this.sessions.open({ authType: 'api_key', keyId }));
    await this.throttle.succeeded(attempt);
    this.results.inc({ result: 'opened' });
    const session = {
      tenantId,
      authType: 'api_key' as const,
      expiresAt: opened.expiresAt.toISOString(),
      apiKeyPrefix: prefix,
    };
    return { session, cookie: opened.cookie };
  }

  /** The session the caller's cookie stands for. */
  async describe({ tenantId, authType, role, session }: TenantCaller): Promise<FrontdoorAuthSession> {
    const common = { tenantId, expiresAt: session!.expiresAt.toISOString() };
    if (authType !== 'seat') return { ...common, authType: 'api_key', apiKeyPrefix: session!.apiKeyPrefix };
    if (role === 'discovery') throw new Error('a seat has a seat role');
    const { seatId, seatEmail } = session!;
    return { ...common, authType, seatId, seatRole: role, seatEmail };
  }

  /** Ends the session: here at once, in the other processes when the database notifies them. */
  async logout({ tenantId, session }: TenantCaller): Promise<FrontdoorLogoutResponse> {
    await this.tenancy.run(tenantId, () => this.sessions.end(session!.sessionId));
    this.sessionCheck.invalidate(session!.sessionId);
    return { ok: true, tenantId, endedAt: new Date().toISOString() };
  }

  private refuse<P extends Error>(result: 'refused' | 'throttled', problem: P): P {
    this.results.inc({ result });
    return problem;
  }
}

const throttled = (wait: number) => new LoginThrottled({ retryAfterSec: wait }, `Try again in ${wait} s`);
