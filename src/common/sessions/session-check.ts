import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { CallerRole, TenantCaller, Tier } from '../contract/caller.js';
import { Listener } from '../database/listener.js';
import { TtlCache } from '../database/ttl-cache.js';
import { Unauthorized } from '../problem/common-problems.js';
import { Tenancy } from '../tenancy/tenancy.js';
import { inactiveTenant, TENANT_CHANGED, type TenantState } from '../tenancy/tenant-state.js';
import { ServerSecret } from './server-secret.js';
import { SessionCookies } from './session-cookie.js';

/** NOTIFY of a session that ended, with its id. */
export const SESSION_ENDED = 'svc_session_ended';

interface SessionRow {
  session_id: string;
  principal: string;
  auth_type: 'api_key' | 'seat';
  expires_at: Date;
  key_prefix: string | null;
  seat_id: string | null;
  seat_role: CallerRole | null;
  seat_email: string | null;
  tier: Tier;
  state: TenantState;
}

/**
 * Finds out whose session a cookie stands for. A session that ended, or whose tenant changed, in any process, is
 * invalidated at once.
 */
@Injectable()
export class SessionCheck implements OnModuleInit {
  private readonly verdicts: TtlCache<TenantCaller>;
  private cookies!: SessionCookies;

  constructor(
    private readonly tenancy: Tenancy,
    listener: Listener,
    private readonly secret: ServerSecret,
  ) {
    this.verdicts = new TtlCache(listener, SESSION_ENDED, (id, { session }) => session?.sessionId === id, {
      [TENANT_CHANGED]: (name, { tenantId }) => tenantId === name,
    });
  }

  async onModuleInit(): Promise<void> {
    this.cookies = new SessionCookies(await this.secret.keyFor('session cookie'));
  }

  /**
   * @returns undefined when the header holds no cookie of a session that lasts
   * @throws Unauthorized when its tenant is not active
   */
  async find(cookieHeader: string | undefined): Promise<TenantCaller | undefined> {
    const address = cookieHeader === undefined ? undefined : this.cookies.read(cookieHeader);
    if (!address) return undefined;
    const id = address.hash.toString('base64');
    const known = this.verdicts.get(id);
    if (known) return known.session!.expiresAt > new Date() ? known : undefined;
    return this.verdicts.ask(id, async () => {
      const [row] = await this.tenancy.call<SessionRow>('select * from svc_authenticate_session($1, $2)', [
        address.tenantId,
        address.hash,
      ]);
      if (row && row.state !== 'active') throw new Unauthorized({}, inactiveTenant(row.state));
      return row && callerOf(address.tenantId, row);
    });
  }

  /** Whether the header holds a session cookie that this server did not sign. */
  isForged(cookieHeader: string | undefined): boolean {
    return cookieHeader !== undefined && this.cookies.isForged(cookieHeader);
  }

  /** The next request of this session in this process is checked again; NOTIFY informs the other processes. */
  invalidate(sessionId: string): void {
    this.verdicts.invalidate(sessionId);
  }
}

function callerOf(tenantId: string, row: SessionRow): TenantCaller {
  return {
    tenantId,
    tier: row.tier,
    principal: row.principal,
    role: row.seat_role ?? 'owner',
    authType: row.auth_type,
    session: {
      sessionId: row.session_id,
      expiresAt: row.expires_at,
      apiKeyPrefix: row.key_prefix ?? undefined,
      seatId: row.seat_id ?? undefined,
      seatEmail: row.seat_email ?? undefined,
    },
  };
}
