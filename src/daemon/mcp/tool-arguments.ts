import type { Address } from '../../common/contract/contract.js';
import { invalid } from '../../common/problem/house-problems.js';
import type { Problem } from '../../common/problem/problem.js';
import { DAEMON_ROUTES } from '../contract/daemon-contract.js';
import type { CallableTool, ToolParameter } from './tool-definitions.js';

type Given = Record<string, unknown>;
type Parameters = CallableTool['parameters'];

/** What of the arguments cannot be put into a request to the tool's own route. What can, the route judges. */
export function findUnfit({ tool, parameters }: CallableTool, given: Given): Problem | undefined {
  const unknown = Object.keys(given).find((name) => !parameters.has(name));
  if (unknown !== undefined)
    return invalid(
      `arguments.${unknown.slice(0, 80)}`,
      `is no argument of ${tool.name}, which takes ${[...parameters.keys()].join(', ')}`,
    );
  for (const [argument, parameter] of parameters) {
    const fault = faultOf(tool.route, parameter, given[argument]);
    if (fault !== undefined) return invalid(`arguments.${argument}`, fault);
  }
  return undefined;
}

function faultOf(route: Address, { name, in: place }: ToolParameter, value: unknown): string | undefined {
  if (place === 'query' && typeof value === 'object')
    return 'is neither text nor a number nor a boolean; leave it out where it is not set';
  if (place !== 'path') return undefined;
  if (typeof value !== 'string' || value === '') return 'is needed: text that is an id';
  return leadsElsewhere(route, name, value) ? 'is no id: it would lead to another address' : undefined;
}

/** Of `/v1/facts/:factId` another route is `/v1/facts/list`; single and double dots are steps in a path (RFC 3986, 3.3). */
const leadsElsewhere = (route: Address, name: string, value: string): boolean =>
  value === '.' || value === '..' || DAEMON_ROUTES.has(route.replace(`:${name}`, () => value) as Address);

/** The path of the tool's route with the arguments in it. */
export function fillPath(template: string, given: Given, parameters: Parameters): string {
  let path = template;
  for (const [argument, { name, in: place }] of parameters)
    if (place === 'path') path = path.replace(`:${name}`, () => encodeURIComponent(given[argument] as string));
  return path;
}

/** The arguments that go into one place, in the route's own spelling. */
export function membersIn(place: ToolParameter['in'], given: Given, parameters: Parameters): Given {
  const entries = Object.entries(given).filter(([argument]) => parameters.get(argument)?.in === place);
  return Object.fromEntries(entries.map(([argument, value]) => [parameters.get(argument)!.name, value]));
}

/** A query is text; the route reads it back. */
export const asQuery = (members: Given): Record<string, string> =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, String(value)]));
