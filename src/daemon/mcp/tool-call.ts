import type { CallToolResult } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { CallableTool } from './tool-definitions.js';

/** Where programs find the problem of a failed call. */
export const PROBLEM_META = 'svc/problem';

/** What of an MCP request goes on to the route: who speaks, and by which request. */
const PASSED_ON = [
  'authorization',
  'x-svc-scopes',
  'x-svc-passport-id',
  'x-svc-tenant-id',
  'x-request-id',
  'traceparent',
  'x-forwarded-for',
  'forwarded',
];

/**
 * Calls the route of a tool, through all that every request over HTTP passes: limits, credential, route-auth, scopes.
 * @param request the MCP request that asks for it
 */
export async function callTool(
  http: FastifyInstance,
  { tool, parameters }: CallableTool,
  given: Record<string, unknown>,
  request: FastifyRequest,
): Promise<CallToolResult> {
  const unknown = Object.keys(given).find((name) => !parameters.has(name));
  if (unknown !== undefined)
    return failed({ detail: `${tool.name} takes no argument ${JSON.stringify(unknown.slice(0, 80))}` });
  const [method, template] = tool.route.split(' ') as ['GET', string];
  const path = fill(template, given, parameters);
  if (path.missing !== undefined) return failed({ detail: `${tool.name} needs the argument ${path.missing}` });
  const body = membersIn('body', given, parameters);
  const { statusCode, payload } = await http.inject({
    method,
    url: path.url,
    query: textsOf(membersIn('query', given, parameters)),
    headers: { ...passedOn(request), ...(hasBody(parameters) ? { 'content-type': 'application/json' } : {}) },
    ...(hasBody(parameters) ? { payload: JSON.stringify(body) } : {}),
    remoteAddress: request.socket.remoteAddress,
  });
  const answer = JSON.parse(payload) as Record<string, unknown>;
  if (statusCode >= 400) return failed(answer);
  return { content: [{ type: 'text', text: payload }], structuredContent: answer, isError: false };
}

function passedOn({ headers }: FastifyRequest): Record<string, string | string[]> {
  const passed: Record<string, string | string[]> = {};
  for (const name of PASSED_ON) {
    const value = headers[name];
    if (value !== undefined) passed[name] = value;
  }
  return passed;
}

type Parameters = CallableTool['parameters'];

const hasBody = (parameters: Parameters): boolean => [...parameters.values()].some((one) => one.in === 'body');

function membersIn(place: 'query' | 'body', given: Record<string, unknown>, parameters: Parameters) {
  const entries = Object.entries(given).filter(([name]) => parameters.get(name)?.in === place);
  return Object.fromEntries(entries.map(([name, value]) => [parameters.get(name)!.name, value]));
}

/** A query is text; the route reads it back. */
const textsOf = (members: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );

function fill(
  template: string,
  given: Record<string, unknown>,
  parameters: Parameters,
): { url: string; missing?: undefined } | { missing: string } {
  let url = template;
  for (const [argument, { name, in: place }] of parameters) {
    if (place !== 'path') continue;
    const value = given[argument];
    if (typeof value !== 'string' || value === '' || !value.isWellFormed()) return { missing: argument };
    url = url.replace(`:${name}`, encodeURIComponent(value));
  }
  return { url };
}

/** A failure as the model reads it; programs find it in `_meta`. */
function failed(problem: Record<string, unknown>): CallToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(problem) }],
    isError: true,
    _meta: { [PROBLEM_META]: problem },
  };
}
