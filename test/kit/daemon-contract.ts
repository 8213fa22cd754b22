import { readFileSync } from 'node:fs';
import type { DaemonFlagName } from '../../src/common/config/daemon/flag-table.js';
import { DAEMON_FLAGS } from '../../src/common/config/daemon/flag-table.js';
import { PRO_SERVICES } from '../../src/common/contract/scopes.js';

/** What the specification says of one route, with the readings decided on where it is silent or at odds with itself. */
export interface ContractRoute {
  method: string;
  /** `/v1/facts/{factId}` */
  path: string;
  class: string;
  /** Any of these opens it under enforce. */
  route_any_of: string[];
  handler: 'public' | 'unchecked' | { any_of: string[] } | { all_of: string[] };
  tenant_bound: boolean;
  flag: string | null;
  /** Which reading made a member of this line. */
  reading?: string;
}

export interface DaemonContract {
  scopes: string[];
  prefixes: { prefix: string; get: string[]; other: string[] | null }[];
  /** Addresses of which the specification names no member. */
  families: { path: string; class: string; flag?: string }[];
  routes: ContractRoute[];
}

export const DAEMON_CONTRACT = JSON.parse(
  readFileSync(new URL('../golden/daemon-contract.json', import.meta.url), 'utf8'),
) as DaemonContract;

/** An address with its parameters nameless: two spellings of one route are equal. */
const shapeOf = (method: string, path: string): string => `${method} ${path.replace(/:\w+|\{\w+\}/g, '{}')}`;

const BY_SHAPE = new Map(DAEMON_CONTRACT.routes.map((route) => [shapeOf(route.method, route.path), route]));

/**
 * @returns undefined for an address that the specification does not name; of a named family what is said of all of it
 */
export function contractOf(method: string, path: string): ContractRoute | undefined {
  const found = BY_SHAPE.get(shapeOf(method, path));
  if (found) return found;
  const family = DAEMON_CONTRACT.families.find((one) => path.startsWith(one.path.slice(0, -1)));
  if (!family) return undefined;
  const { class: routeClass, flag = null } = family;
  return { method, path, class: routeClass, route_any_of: [], handler: 'public', tenant_bound: false, flag };
}

/** What flags are set to that take more than 1; nothing listens at the addresses. */
const ON: { [name in DaemonFlagName]?: string } = {
  punchcard: 'enforce',
  engine: 'http://127.0.0.1:9/engine',
  gpu: 'http://127.0.0.1:9/gpu1',
};

/** Every flag of the daemon switched on, so that each of its routes is there. */
export const ALL_FLAGS_ON: Record<string, string> = {
  ...Object.fromEntries(
    (Object.keys(DAEMON_FLAGS) as DaemonFlagName[]).map((name) => [DAEMON_FLAGS[name].env, ON[name] ?? '1']),
  ),
  SVCD_ENABLED_PRO_SERVICES: PRO_SERVICES.join(','),
};
