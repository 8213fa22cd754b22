import type { FastifyRequest } from 'fastify';
import type { TenantCaller } from '../common/contract/caller.js';
import type { RouteInputs } from '../common/contract/contract.js';
import { allowsExtraMembers, fieldsOf } from '../common/fields/fields.js';
import { Forbidden } from '../common/problem/common-problems.js';

/** A tenant that a request names, and where. */
export interface NamedTenant {
  path: string;
  tenant: string;
}

/** Both spellings name a tenant: one that is not the caller's is a refusal of its own, not an unknown member. */
const SPELLINGS = ['tenantId', 'tenant_id'] as const;

/** Every tenant that a query names, taken out of it: they are the guard's, and no route has such a parameter. */
export function takeFromQuery(query: unknown): NamedTenant[] {
  const named = namedInPlace('query', query);
  // To delete what is not there would still make the object a slow one.
  for (const spelling of SPELLINGS)
    if (Object.hasOwn(query ?? {}, spelling)) delete (query as Record<string, unknown>)[spelling];
  return named;
}

/** Every tenant that a body names, itself or by the objects in its lists. */
export function namedInBody(body: unknown): NamedTenant[] {
  const found = namedInPlace('body', body);
  if (typeof body !== 'object' || body === null) return found;
  const lists = Object.entries(body).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]));
  return [
    ...found,
    ...lists.flatMap(([name, list]) => list.flatMap((item, index) => namedInPlace(`body.${name}[${index}]`, item))),
  ];
}

/**
 * Takes out of a body the tenant that it names in addition to what its route reads: like that of a query it is the
 * guard's, and one that is the caller's is nothing to refuse (D7).
 */
export function takeFromBody(body: unknown, { body: type }: RouteInputs): void {
  if (typeof body !== 'object' || body === null || !type || allowsExtraMembers(type)) return;
  const members = body as Record<string, unknown>;
  for (const spelling of SPELLINGS)
    if (typeof members[spelling] === 'string' && !fieldsOf(type).some(({ name }) => name === spelling))
      delete members[spelling];
}

/** Every tenant that a request names: in its path, its query or its body. */
export const namedInRequest = ({ params, query, body }: Pick<FastifyRequest, 'params' | 'query' | 'body'>) => [
  ...namedInPlace('params', params),
  ...namedInPlace('query', query),
  ...namedInBody(body),
];

/** Every tenant that an object names itself: the query, the parameters of a path, one of a list. */
function namedInPlace(path: string, holder: unknown): NamedTenant[] {
  if (typeof holder !== 'object' || holder === null) return [];
  return SPELLINGS.flatMap((spelling) =>
    [(holder as Record<string, unknown>)[spelling]]
      .flat()
      .filter((tenant) => typeof tenant === 'string')
      .map((tenant) => ({ path: `${path}.${spelling}`, tenant })),
  );
}

/** @throws Forbidden for one that is not the caller's */
export function checkNamed(named: readonly NamedTenant[], { tenantId }: TenantCaller): void {
  const foreign = named.find(({ tenant }) => tenant !== tenantId);
  if (foreign) throw new Forbidden({}, `${foreign.path} names another tenant than the credential`);
}
