import type { Type } from '@nestjs/common';
import type { ProblemClass } from '../problem/problem.js';

/** The metadata key under which a handler's declaration is kept. */
export const ROUTE = Symbol('route');

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Address = `${Verb} /${string}`;
export const SEAT_ROLES = ['owner', 'admin', 'member', 'viewer'] as const;
export type SeatRole = (typeof SEAT_ROLES)[number];
/** A feature flag of the settings group `features`. Off, its routes answer 412 FeatureDisabled; self-signup then does not exist, 404 (D22). */
export type Gate = 'continuity' | 'watches' | 'proofs' | 'selfSignup';
export const GATE_VARIABLES: Record<Gate, string> = {
  continuity: 'FEATURE_CONTINUITY',
  watches: 'FEATURE_WATCHES',
  proofs: 'FEATURE_PROOFS',
  selfSignup: 'FEATURE_SELF_SIGNUP',
};

/**
 * Who may call (tenant-api.md 5, items 7 to 13):
 * - `anyone`;
 * - `seats`: a credential of the tenant whose seat role is listed: an API key or a session of one (they count as owner), a seat's session,
 *   a sponsored agent's bearer (it counts as member). `session` asks for the session cookie, `discovery` also lets in an agent that is not sponsored yet (D15);
 * - `agent`: the bearer of an agent that registered itself, sponsored or not;
 * - `tool`: a caller of the tool service (tenant-api.md 5, item 14): an API key with its tenant. `agents` takes the bearer of an agent as well
 *   (D29), `bearerKeys` an API key as a bearer, whose tenant is found by it. Never a cookie.
 */
export type Access =
  | { kind: 'anyone' }
  | { kind: 'seats'; roles: readonly SeatRole[]; session?: true; discovery?: true }
  | { kind: 'agent' }
  | ({ kind: 'tool' } & BearersTaken);

/** What a caller of the tool service may send as `Authorization: Bearer` in place of the two headers. */
export interface BearersTaken {
  agents?: true;
  bearerKeys?: true;
}

type Roles = [SeatRole, ...SeatRole[]];
export const anyone = (): Access => ({ kind: 'anyone' });
export const seats = (...roles: Roles): Access => ({ kind: 'seats', roles });
export const seatsOrDiscovery = (...roles: Roles): Access => ({ kind: 'seats', roles, discovery: true });
export const sessionOf = (...roles: Roles): Access => ({ kind: 'seats', roles, session: true });
export const selfSignup = (): Access => ({ kind: 'agent' });
export const toolCaller = (bearers: BearersTaken = {}): Access => ({ kind: 'tool', ...bearers });

/** What a handler answers when it succeeds. `type` absent: no body; `contentType` present: bytes or text instead of JSON. */
export interface Reply<R> {
  status: 200 | 201 | 202 | 204;
  type?: Type<R>;
  contentType?: string;
}

export const ok = <R>(type: Type<R>): Reply<R> => ({ status: 200, type });
export const created = <R>(type: Type<R>): Reply<R> => ({ status: 201, type });
export const accepted = <R>(type: Type<R>): Reply<R> => ({ status: 202, type });
export const nothing = (): Reply<void> => ({ status: 204 });
/** Text or bytes that are sent as they are. */
export const okBytes = (contentType: string): Reply<string | Uint8Array> => ({ status: 200, contentType });
/** What the handler itself writes out, as long as it lasts. */
export const okStream = (contentType: string): Reply<void> => ({ status: 200, contentType });

export interface RouteDeclaration<R> {
  summary: string;
  description?: string;
  /** The room, as the group in Swagger UI. */
  tag: string;
  access: Access;
  gate?: Gate;
  /** Whether tenants of the free tier are refused with 403 (D14). */
  paidTier?: true;
  reply: Reply<R>;
  problems?: ProblemClass[];
  /** Whether x-idempotency-key is asked for; every non-GET route with a credential unless it says false (D9), or is of the tool service, whose calls bear keys of their own. */
  idempotent?: boolean;
  /** The answer holds a secret that is shown this once: what is kept of it for a repeat is encrypted, and nothing on the way may cache it. */
  secretReply?: true;
  /** Largest request body in bytes, where it is not the general one. */
  bodyLimit?: number;
}

/** What the manifest of every server holds of a route. */
export interface DeclaredRoute {
  address: Address;
  verb: Verb;
  path: string;
  /** Class and method, for whoever looks for it. */
  handler: string;
  summary: string;
  description?: string;
  tag: string;
  reply: Reply<unknown>;
  problems: ProblemClass[];
  bodyLimit?: number;
}

/** One line of the route manifest: everything the guards, OpenAPI and the generated tests need to know. */
export interface RouteRecord extends Omit<RouteDeclaration<unknown>, 'reply' | 'problems'>, DeclaredRoute {
  idempotent: boolean;
}
