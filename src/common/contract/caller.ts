import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { DaemonCaller } from '../bearer-auth/daemon-caller.js';
import type { SeatRole } from './contract.js';
import type { TenantAuthType } from './tenant-auth-type.js';

export const TIERS = ['free', 'starter', 'pro', 'team'] as const;
export type Tier = (typeof TIERS)[number];

/** `discovery`: an agent that registered itself and that no tenant sponsors yet (D15). */
export type CallerRole = SeatRole | 'discovery';

/** Who is calling, as the caller guard found out. */
export interface TenantCaller {
  tenantId: string;
  tier: Tier;
  /**
   * `key:<key id>`, `seat:<seat id>` or `agent:<agent principal id>`: what idempotency, receipts and approvals are
   * bound to. A session's is that of its key or seat, that of a caller whom the daemon authenticated is its own name
   * there (`sub:<subject>`, `passport:<id>`).
   */
  principal: string;
  role: CallerRole;
  authType: TenantAuthType;
  /** The agent's session that the request named (X-Svc-Session-Id); receipts bear it. */
  agentSession?: string | undefined;
  /** The session behind the cookie, where one was presented. */
  session?: CallerSession;
}

/** What a session cookie stands for. */
interface CallerSession {
  sessionId: string;
  expiresAt: Date;
  apiKeyPrefix?: string;
  seatId?: string;
  seatEmail?: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    caller?: TenantCaller;
  }
}

/** The caller of a route whose access asks for a credential: a TenantCaller, on the daemon a DaemonCaller. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): TenantCaller | DaemonCaller => {
  const { caller, daemonCaller } = context.switchToHttp().getRequest<FastifyRequest>();
  const found = caller ?? daemonCaller;
  if (!found) throw new Error('This route has no caller: its access is anyone()');
  return found;
});
