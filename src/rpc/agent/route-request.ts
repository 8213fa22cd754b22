import type { Address } from '../../common/contract/contract.js';
import { isDotSegment } from '../../common/http/dot-segment.js';
import { invalid } from '../../common/problem/common-problems.js';
import { searchOf, type ApiRequest } from '../tools/tool-arguments.js';
import type { RouteParts } from './servers.js';

/**
 * The request to a route. What is undefined is left out.
 * @throws ValidationFailed for a parameter by which the address would be one of another route
 */
export function requestTo(
  address: Address,
  { params = {}, query = {}, body, headers = {} }: RouteParts = {},
): ApiRequest {
  const [method, pattern] = address.split(' ') as [string, string];
  for (const [name, value] of Object.entries(params))
    if (isDotSegment(value)) throw invalid(`params.${name}`, 'must not be . or .., which addresses cannot hold');
  const given = Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, textOf(value)]])),
  ) as ApiRequest['query'];
  const path = pattern.replace(/:(\w+)/g, (_, member: string) => encodeURIComponent(params[member]!));
  return {
    ...{ method, path: `${path}${searchOf(given)}`, address, params, query: given, headers },
    ...(body ? { body: JSON.parse(JSON.stringify(body)) as object } : {}),
  };
}

const textOf = (value: unknown): string | string[] => (Array.isArray(value) ? value.map(String) : String(value));
