import { Injectable } from '@nestjs/common';
import { uuid } from '../ids/uuid.js';
import { Tenancy } from '../tenancy/tenancy.js';
import { ServerSecret } from './server-secret.js';
import { SESSION_SECONDS, SessionCookies } from './session-cookie.js';

/** What a session is opened for: a key that was presented, or a seat whose invitation was accepted. */
export type SessionOwner = { authType: 'api_key'; keyId: string } | { authType: 'seat'; seatId: string };

export interface OpenedSession {
  sessionId: string;
  /** The signed value of the cookie. */
  cookie: string;
  expiresAt: Date;
}

/**
 * Opens and ends browser sessions, inside the tenant's open unit of work. Ending a key or a seat ends its sessions in
 * the database itself.
 */
@Injectable()
export class Sessions {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly secret: ServerSecret,
  ) {}

  /** For twelve hours; a key's session ends with the key where that is sooner. */
  async open(owner: SessionOwner): Promise<OpenedSession> {
    const cookies = new SessionCookies(await this.secret.keyFor('session cookie'));
    const { value, hash } = cookies.mint(this.tenancy.tenant);
    const principal = owner.authType === 'seat' ? `seat:${owner.seatId}` : `key:${owner.keyId}`;
    const [row] = await this.tenancy.query<{ session_id: string; expires_at: Date }>(
      `insert into session (tenant_id, session_id, session_hash, auth_type, principal, key_id, seat_id, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, least(now() + $8 * interval '1 second',
         (select expires_at from api_key where tenant_id = $1 and key_id = $6::uuid))) returning session_id, expires_at`,
      [
        this.tenancy.tenant,
        uuid(),
        hash,
        owner.authType,
        principal,
        owner.authType === 'api_key' ? owner.keyId : null,
        owner.authType === 'seat' ? owner.seatId : null,
        SESSION_SECONDS,
      ],
    );
    if (!row) throw new Error('a session was not opened');
    return { sessionId: row.session_id, cookie: value, expiresAt: row.expires_at };
  }

  /** Ends one session, in every process. */
  async end(sessionId: string): Promise<void> {
    await this.tenancy.query(
      'update session set ended_at = now() where tenant_id = $1 and session_id = $2 and ended_at is null',
      [this.tenancy.tenant, sessionId],
    );
  }
}
