import type { TenantCaller } from '../common/contract/caller.js';
import { Forbidden } from '../common/problem/common-problems.js';

/** A tenant that a request names, and where. */
export interface NamedTenant {
  path: string;
  tenant: string;
}

/** Every tenantId of query or body, and of the objects in the lists of a body. */
export function namedIn(place: 'query' | 'body', value: unknown): NamedTenant[] {
  const found = tenantOf(place, value);
  if (place === 'query' || typeof value !== 'object' || value === null) return found;
  const lists = Object.entries(value).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]));
  return [
    ...found,
    ...lists.flatMap(([name, list]) => list.flatMap((item, index) => tenantOf(`${place}.${name}[${index}]`, item))),
  ];
}

function tenantOf(path: string, holder: unknown): NamedTenant[] {
  const value = typeof holder === 'object' && holder !== null ? (holder as { tenantId?: unknown }).tenantId : undefined;
  return [value]
    .flat()
    .filter((tenant) => typeof tenant === 'string')
    .map((tenant) => ({ path: `${path}.tenantId`, tenant }));
}

/** @throws Forbidden for one that is not the caller's */
export function checkNamed(named: readonly NamedTenant[], { tenantId }: TenantCaller): void {
  const foreign = named.find(({ tenant }) => tenant !== tenantId);
  if (foreign) throw new Forbidden({}, `${foreign.path} names another tenant than the credential`);
}
