import type { Address, DeclaredRoute, Reply } from '../../common/contract/contract.js';
import type { FlagName } from '../../common/config/daemon/flag-table.js';
import type { ProblemClass } from '../../common/problem/problem.js';
import type { Classified } from '../route-auth/route-class.js';
import type { ScopeRule } from './scopes.js';

/** What is said of a route of the daemon, once: admission, OpenAPI, the manifest and the generated tests read it. */
export interface DaemonRouteDeclaration<R> {
  summary: string;
  description?: string;
  /** The room, as the group in Swagger UI. */
  tag: string;
  /** What the handler asks for; route-auth asks by the path (route-auth/route-class.ts). */
  scopes: ScopeRule;
  /** The `tenant_id` that query or body names must be one the credential covers, unless an admin scope opened the route (memory-daemon.md 5.3). */
  tenantBound?: true;
  /** Exists only while this flag is on. */
  flag?: FlagName;
  reply: Reply<R>;
  /** Further content types of the same answer, chosen by Accept. */
  alsoAs?: readonly string[];
  problems?: ProblemClass[];
  /** Largest request body in bytes, where it is not the general one. */
  bodyLimit?: number;
  /** Caps within that bound, which its 413 tells. */
  caps?: Readonly<Record<string, number>>;
  /** Served, but left out of the route manifest at /v1/openapi.json (memory-daemon.md 9). */
  unlisted?: true;
  /** Its answer may last: the 30 s bound holds until it begins. */
  streams?: true;
}

/** One line of the daemon's manifest. */
export interface DaemonRouteRecord extends Omit<DaemonRouteDeclaration<unknown>, 'reply' | 'problems'>, DeclaredRoute {
  /** undefined: not classified, which a test forbids. */
  classified: Classified | undefined;
}

/** Every declared route of the daemon by address, filled as the rooms are loaded: requests are looked up in it before their body is read. */
export const DAEMON_ROUTES = new Map<Address, DaemonRouteRecord>();
