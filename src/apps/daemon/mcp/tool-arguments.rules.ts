import type { FastifyInstance } from 'fastify';
import { isDotSegment } from '../../../common/http/dot-segment.js';
import { invalid } from '../../../common/problem/common-problems.js';
import type { Problem } from '../../../common/problem/problem.js';
import type { Tool, ToolMember } from '../../../rpc/tools/tool.js';

type Routes = Pick<FastifyInstance, 'hasRoute'>;

/** What of the arguments cannot be put into a request to the tool's own route. What can, the route judges. */
export function findUnfit(
  { definition: { name }, members, route }: Tool,
  given: Record<string, unknown>,
  routes: Routes,
): Problem | undefined {
  const names = members.map((member) => member.name);
  const unknown = Object.keys(given).find((argument) => !names.includes(argument));
  if (unknown !== undefined)
    return invalid(`arguments.${unknown.slice(0, 80)}`, `is no argument of ${name}, which takes ${names.join(', ')}`);
  for (const member of members) {
    const fault = findFault(route, member, given[member.name], routes);
    if (fault !== undefined) return invalid(`arguments.${member.name}`, fault);
  }
  return undefined;
}

function findFault(route: string, { member, place }: ToolMember, value: unknown, routes: Routes): string | undefined {
  if ((place === 'query' || place === 'header') && typeof value === 'object')
    return 'is neither text nor a number nor a boolean; leave it out where it is not set';
  if (place !== 'path') return undefined;
  if (typeof value !== 'string' || value === '') return 'is needed: text that is an id';
  const address = route.replace(`:${member}`, () => value);
  return leadsElsewhere(address, value, routes) ? 'is no id: it would lead to another address' : undefined;
}

/**
 * Of `/v1/facts/:factId` another route is `/v1/facts/list`; single and double dots are steps in a path (RFC 3986, 3.3).
 */
function leadsElsewhere(address: string, value: string, routes: Routes): boolean {
  const [method, url] = address.split(' ') as ['GET', string];
  return isDotSegment(value) || routes.hasRoute({ method, url });
}
