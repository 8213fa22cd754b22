import type { Type } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { FlagName } from '../config/feature-flags.js';
import type { JsonSchema } from '../fields/fields.js';
import type { ProblemClass } from '../problem/problem.js';
import type { ProService, Scope } from './scopes.js';

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Address = `${Verb} /${string}`;
export const SEAT_ROLES = ['owner', 'admin', 'member', 'viewer'] as const;
export type SeatRole = (typeof SEAT_ROLES)[number];

/**
 * Who may call. Of the tenant API and the tool service (tenant-api.md 5, items 7 to 14):
 * - `anyone`;
 * - `seats`: a credential of the tenant whose seat role is listed: an API key or a session of one (they count as
 *   owner), a seat's session, a sponsored agent's bearer (it counts as member). `session` asks for the session cookie,
 *   `discovery` also lets in an agent that is not sponsored yet (D15);
 * - `agent`: the bearer of an agent that registered itself, sponsored or not;
 * - `tool`: an API key with its tenant. `agents` takes the bearer of an agent as well (D29), `bearerKeys` an API key as
 *   a bearer, whose tenant is found by it, `accessTokens` the access token of a seat. Never a cookie.
 *
 * Of the daemon (memory-daemon.md 5.3), where route-auth asks in addition (5.4):
 * - `anyone`;
 * - `scopes`: a credential with any, or all, of the listed scopes;
 * - `unchecked`: no scope; a credential that was sent says who calls.
 */
export type Access =
  | { kind: 'anyone' }
  | { kind: 'seats'; roles: readonly SeatRole[]; session?: true; discovery?: true }
  | { kind: 'agent' }
  | ({ kind: 'tool' } & BearersTaken)
  | { kind: 'scopes'; rule: 'any' | 'all'; scopes: readonly Scope[] }
  | { kind: 'unchecked' };

/** What a caller of the tool service may send as `Authorization: Bearer` in place of the two headers. */
export interface BearersTaken {
  agents?: true;
  bearerKeys?: true;
  /** The access token of a person, where SVC_OIDC_ISSUER is set. */
  accessTokens?: true;
}

type Roles = [SeatRole, ...SeatRole[]];
type Scopes = [Scope, ...Scope[]];
export const anyone = (): Access => ({ kind: 'anyone' });
export const seats = (...roles: Roles): Access => ({ kind: 'seats', roles });
export const seatsOrDiscovery = (...roles: Roles): Access => ({ kind: 'seats', roles, discovery: true });
export const sessionOf = (...roles: Roles): Access => ({ kind: 'seats', roles, session: true });
export const selfSignup = (): Access => ({ kind: 'agent' });
export const toolCaller = (bearers: BearersTaken = {}): Access => ({ kind: 'tool', ...bearers });
export const anyOf = (...scopes: Scopes): Access => ({ kind: 'scopes', rule: 'any', scopes });
export const allOf = (...scopes: Scopes): Access => ({ kind: 'scopes', rule: 'all', scopes });
export const unchecked = (): Access => ({ kind: 'unchecked' });

/**
 * What a handler answers when it succeeds. `type` absent: no body; `contentType` present: bytes or text instead of
 * JSON.
 */
export interface Reply<R> {
  status: 200 | 201 | 202 | 204;
  type?: Type<R>;
  contentType?: string;
  /** What that text is: JSON, or with an example of its own. */
  schema?: SchemaSource;
}

export const ok = <R>(type: Type<R>): Reply<R> => ({ status: 200, type });
export const created = <R>(type: Type<R>): Reply<R> => ({ status: 201, type });
export const accepted = <R>(type: Type<R>): Reply<R> => ({ status: 202, type });
export const nothing = (): Reply<void> => ({ status: 204 });
/** Text or bytes that are sent as they are. */
export const okBytes = (contentType: string, schema?: SchemaSource): Reply<string | Uint8Array> => ({
  status: 200,
  contentType,
  schema,
});
/** What the handler itself writes out, as long as it lasts. */
export const okStream = (contentType: string): Reply<void> => ({ status: 200, contentType });

/** A parameter that no DTO describes: a header, or the rest of a path. */
export interface DocumentedParameter {
  name: string;
  in?: 'header' | 'path';
  required?: boolean;
  description: string;
  schema?: JsonSchema;
  /** With what the page at /docs sends it. */
  example?: string;
}

/** A schema in which a class stands for the schema that is made of it; or such a class. */
export type SchemaSource = JsonSchema | Type;

/** A body that no DTO reads, by content type. */
export interface DocumentedBody {
  description?: string;
  required?: true;
  content: Readonly<Record<string, { schema: SchemaSource; examples?: Record<string, { value: unknown }> }>>;
}

/** A response that neither the reply nor the problems describe. */
export interface DocumentedResponse {
  description: string;
  headers?: Record<string, { description: string; schema: JsonSchema }>;
  content?: Readonly<Record<string, { schema: SchemaSource }>>;
}

/** What the page at /docs sends of a route at first, where its fields alone make no request that works. */
export interface Trial {
  /** Values of the path and the query, by name. */
  parameters?: Readonly<Record<string, unknown>>;
  /** Members of the body, which add to its example or stand in place of what it has. */
  body?: Readonly<Record<string, unknown>>;
  /**
   * What the answer to another operation gives: by the name of a parameter (`query.` before those of the query), or by
   * `body/` and the JSON pointer of a member, `operationId#/pointer`. That operation is shown before this one.
   */
  from?: Readonly<Record<string, `${string}#/${string}`>>;
  /** Operations of the group that are shown before this one, since they make or need what this one changes. */
  after?: readonly string[];
}

/** What a peer does by a route. */
export type PeerRight = 'reads' | 'writes' | 'either';

/** What is said of a route, once: guards, OpenAPI, the manifest and the generated tests read it. */
export interface RouteDeclaration<R> {
  summary: string;
  description?: string;
  /** The module, as the group in Swagger UI. */
  tag: string;
  access: Access;
  /** The feature flag it is behind. */
  flag?: FlagName;
  /**
   * The service of the workbench that it is: 402 unless SVCD_ENABLED_PRO_SERVICES lists it (memory-daemon.md 4.11).
   */
  service?: ProService;
  /** Whether tenants of the free tier are refused with 403 (D14). */
  paidTier?: true;
  /**
   * The `tenant_id` that query or body names must be one the credential covers, unless an admin scope opened the route
   * (memory-daemon.md 5.3).
   */
  tenantBound?: true;
  /**
   * Acts on the whole server and not in a tenant: of sessions those of the daemon's own tenant alone may call (D73).
   */
  ofServer?: true;
  /**
   * A peer that has signed its request may call, by its row: one that may read, write, or either. With
   * SVCD_SYNC_MUTUAL_AUTH=1 nobody else may, and scopes are not asked for (memory-daemon.md 4.7).
   */
  peers?: PeerRight;
  /** Refused with 403 in the modes that believe what a caller says of itself (off, dev_scopes), before its scopes. */
  provenCaller?: true;
  /** Most requests a second of all its callers together, once their scopes were found to suffice; 429 beyond. */
  ratePerSecond?: number;
  /**
   * The handler itself heeds X-Svc-Fence ({@link Fence}), once it has locked what it writes to; of all other routes
   * than GET TenantResolver does: a writer whose lease has ended is refused (D61).
   */
  fenced?: true;
  reply: Reply<R>;
  /** Further content types of the same answer, chosen by Accept. */
  alsoAs?: readonly string[];
  problems?: ProblemClass[];
  /**
   * Whether x-idempotency-key is asked for: every route other than GET of a seat or an agent, unless it says false
   * (D9).
   */
  idempotent?: boolean;
  /**
   * Requests of a tenant that arrive together have their effect in one unit of work, which the handler opens with
   * {@link GroupedEffects}.
   */
  grouped?: true;
  /**
   * The answer holds a secret that is shown this once: what is kept of it for a repeat is encrypted, and nothing on the
   * way may cache it.
   */
  secretReply?: true;
  /**
   * How the handler takes the body: `json` as the value that it is, `bytes` as the bytes of JSON that came in (what a
   * signature was made over), `any` as the bytes of whatever content type, `file` as a file, alone or in a form.
   */
  body?: 'json' | 'bytes' | 'any' | 'file';
  /** Largest request body in bytes, where it is not the general one, or that of routes which anyone may call. */
  bodyLimit?: number;
  /** Most members of all objects of the body together, where it is not the general number. */
  memberLimit?: number;
  /** How deep the body may be nested, where it is not the general number of levels. */
  depthLimit?: number;
  /** Caps within the bound of the body, which its 413 states. */
  caps?: Readonly<Record<string, number>>;
  /** Served, but left out of the route manifest at /v1/openapi.json (memory-daemon.md 9). */
  unlisted?: true;
  /** An addition of our own: the specification does not name it (`x-extension` of the document). */
  extension?: true;
  /** Its answer may last: the 30 s bound holds until it begins. */
  streams?: true;
  /** Its answer is the same until the process ends: clients keep it, and it is compressed. */
  constant?: true;
  /** For the document alone. */
  tried?: Trial;
  parameters?: readonly DocumentedParameter[];
  requestBody?: DocumentedBody;
  responses?: Readonly<Record<number, DocumentedResponse>>;
}

/** The classes that a handler takes its parameters as. */
export interface RouteInputs {
  path?: Type;
  query?: Type;
  body?: Type;
  /** A body that is a list of objects of that class. */
  bodyList?: { type: Type; max: number };
}

/** One line of the route manifest: everything the guards, OpenAPI and the generated tests need to know. */
export interface RouteRecord extends Omit<RouteDeclaration<unknown>, 'problems' | 'idempotent' | 'body'> {
  address: Address;
  verb: Verb;
  path: string;
  /** Class and method, to find its code. */
  handler: string;
  operationId: string;
  inputs: RouteInputs;
  /** Members of the body that are whole numbers of 64 bits: their digits are kept. */
  uint64s: readonly string[];
  /** Members of the body that must leave no trace (SecretBytes). */
  secrets: readonly string[];
  idempotent: boolean;
  body: 'json' | 'bytes' | 'any' | 'file';
  /** Of the route itself; the manifest adds those that every route of its server has. */
  problems: readonly ProblemClass[];
}

declare module 'fastify' {
  interface FastifyContextConfig {
    route?: RouteRecord;
    /** How the handler takes the body; `json` where nothing is said. */
    body?: RouteRecord['body'];
    /** A page of the server's own documentation, which anyone may read. */
    isPage?: true;
  }
}

/** The declaration of the route that a request is for; undefined where there is none. */
export const routeOf = ({ routeOptions }: FastifyRequest): RouteRecord | undefined => routeOptions.config.route;

/** The same for a request that a handler answers. */
export function declaredRoute(request: FastifyRequest): RouteRecord {
  const route = routeOf(request);
  if (!route) throw new Error(`${request.method} ${request.routeOptions.url} declares no route`);
  return route;
}
