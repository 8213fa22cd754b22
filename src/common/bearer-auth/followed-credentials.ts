import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Listener } from '../database/listener.js';
import { credentialIn } from '../http/headers.js';
import { LOG, type Log } from '../observability/log.js';
import { Problem } from '../problem/problem.js';
import { SESSION_ENDED } from '../sessions/session-check.js';
import { PRINCIPAL_ENDED, principalIn } from '../tenancy/principal-ended.js';
import { AUTHENTICATOR, type Authenticator } from './authenticator.js';
import { selectedTenantIn } from './caller-headers.js';
import type { Identity } from './daemon-caller.js';
import { HTTP_AUTHENTICATOR } from './session-authenticator.js';

/** What ends by time alone, as a token does, is notified to nobody: every credential is looked at this often. */
const LOOK_MS = 15_000;

/** Something that is open for whoever asked for it, and ends with the credential that came with the request. */
interface Followed {
  readonly request: FastifyRequest;
  readonly tenantId: string;
  readonly caller: Identity;
  readonly end: () => void;
}

/**
 * What is kept open for longer than a request ends with the credential it was asked for with: with its session, key,
 * agent or seat as soon as whichever process ends that, and with the time of its token within seconds.
 */
@Injectable()
export class FollowedCredentials implements OnModuleDestroy {
  private readonly followed = new Set<Followed>();
  private readonly stops: (() => void)[];

  constructor(
    listener: Listener,
    @Inject(AUTHENTICATOR) private readonly authenticator: Authenticator,
    @Inject(HTTP_AUTHENTICATOR) private readonly sessions: Authenticator,
    @Inject(LOG) private readonly log: Log,
  ) {
    const timer = setInterval(() => void this.look(), LOOK_MS).unref();
    this.stops = [
      () => clearInterval(timer),
      listener.on(SESSION_ENDED, (id) => this.followed.forEach((one) => one.caller.session?.id === id && one.end())),
      listener.on(PRINCIPAL_ENDED, (payload) => this.endOf(principalIn(payload))),
      listener.onGap(() => void this.look()),
    ];
  }

  onModuleDestroy(): void {
    for (const stop of this.stops) stop();
  }

  /**
   * @param of who asked, as the request was let in, and in which tenant
   * @param end called once the credential has ended; soon where that was already
   * @returns how to stop, which whoever is ended calls as well
   */
  follow(request: FastifyRequest, of: Pick<Followed, 'tenantId' | 'caller'>, end: () => void): () => void {
    const followed = { request, ...of, end };
    this.followed.add(followed);
    void this.endOver([followed]);
    return () => void this.followed.delete(followed);
  }

  /** Resolves when whatever is open for a credential that has ended is ended too. Each is asked about once. */
  async look(): Promise<void> {
    const byCredential = Map.groupBy(this.followed, credentialOf);
    await Promise.all([...byCredential.values()].map((own) => this.endOver(own)));
  }

  private endOf({ tenant, principal }: ReturnType<typeof principalIn>): void {
    for (const { tenantId, caller, end } of this.followed)
      if (tenantId === tenant && caller.principal === principal) end();
  }

  private async endOver(own: readonly Followed[]): Promise<void> {
    if (await this.holds(own[0]!)) return;
    for (const { end } of own) end();
  }

  /** One that cannot be looked up just now has not ended. */
  private async holds({ request, caller }: Followed): Promise<boolean> {
    try {
      const authenticator = caller.authType === 'session' ? this.sessions : this.authenticator;
      const now = await authenticator.identify(request);
      return now.principal === caller.principal && String(now.tenants) === String(caller.tenants);
    } catch (error) {
      if (error instanceof Problem && error.kind.status < 500) return false;
      this.log.warn({ error, request_id: request.id }, 'whether a credential has ended could not be looked up');
      return true;
    }
  }
}

/** The principal as well: a caller for whom another server speaks sends no credential of its own. */
const credentialOf = ({ request, caller }: Followed): string =>
  JSON.stringify([credentialIn(request), request.headers.cookie, selectedTenantIn(request), caller.principal]);
