import type { CallToolResult } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isReportedOff } from '../../../common/contract/plane-reported-off.js';
import { FENCE_HEADER } from '../../../common/contract/fence.js';
import { SESSION_HEADER } from '../../../common/http/agent-session.js';
import { currentTraceparent, traced } from '../../../common/observability/tracing.js';
import type { ProblemWriter } from '../../../common/problem/send-problem.js';
import { ERROR_META } from '../../../rpc/mcp/mcp-results.js';
import { requestOf, type ApiRequest } from '../../../rpc/tools/tool-arguments.js';
import type { Tool } from '../../../rpc/tools/tool.js';
import { failureOf, fileProblem, isJsonType } from '../../../rpc/tools/tool-errors.js';
import { findUnfit } from './tool-arguments.rules.js';

/** Where programs find the problem of a failed call, as the daemon writes it. */
const PROBLEM_META = 'svc/problem';

/** What of an MCP request goes on to the route: who speaks, and in which trace. */
const PASSED_ON = new Set([
  'authorization',
  'x-svc-scopes',
  'x-svc-passport-id',
  'x-svc-tenant-id',
  'x-tenant-id',
  'x-api-key',
  SESSION_HEADER,
  FENCE_HEADER,
  'traceparent',
  'x-forwarded-for',
  'forwarded',
]);

/**
 * The same of a request over HTTP that a session made (the tools in the form of OpenAI). To the MCP listener a cookie
 * is no credential.
 */
const PASSED_ON_BY_SESSION = new Set([...PASSED_ON, 'cookie', 'host', 'origin', 'sec-fetch-site']);

/** Where the routes of the tools are answered, and how their listener writes a problem. */
export interface ToolRoutes {
  http: FastifyInstance;
  problems: ProblemWriter;
}

/**
 * Calls the route of a tool, through all that every request over HTTP passes: limits, credential, route-auth, scopes.
 * @param request the MCP request that asks for it
 */
export async function callTool(
  { http, problems }: ToolRoutes,
  tool: Tool,
  given: Record<string, unknown>,
  request: FastifyRequest,
): Promise<CallToolResult> {
  const unfit = findUnfit(tool, given, http);
  if (unfit) return failed(problems.bodyOf(unfit, request.id), tool);
  const { name } = tool.definition;
  const attributes = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name };
  const { status, answer, text, isFile } = await traced(`execute_tool ${name}`, { attributes }, () =>
    callRoute(http, requestOf(tool, given), request),
  );
  if (isFile) return failed(problems.bodyOf(fileProblem('arguments'), request.id), tool);
  // A plane that is switched off says so with 200, which is no answer of the tool.
  if (status >= 400 || isReportedOff(answer)) return failed(answer, tool);
  return { content: [{ type: 'text', text }], structuredContent: answer, isError: false };
}

/** Calls a route as whoever speaks. */
export async function callRoute(
  http: FastifyInstance,
  { method, path, headers, body }: Pick<ApiRequest, 'method' | 'path' | 'body'> & Partial<Pick<ApiRequest, 'headers'>>,
  request: FastifyRequest,
): Promise<{ status: number; answer: Record<string, unknown>; text: string; isFile: boolean }> {
  const {
    statusCode,
    payload,
    headers: answered,
  } = await http.inject({
    method: method as 'GET',
    url: path,
    headers: { ...passedOn(request), ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { payload: JSON.stringify(body) } : {}),
    remoteAddress: request.socket.remoteAddress,
  });
  const isFile = !isJsonType(answered['content-type']);
  const answer = isFile ? {} : (JSON.parse(payload) as Record<string, unknown>);
  return { status: statusCode, answer, text: payload, isFile };
}

/**
 * Each as often as it came: which of several counts, and whether any does, the route says. Its request bears the id of
 * this one.
 */
function passedOn({ raw: { rawHeaders }, id, daemonCaller }: FastifyRequest): Record<string, string | string[]> {
  const names = daemonCaller?.authType === 'session' ? PASSED_ON_BY_SESSION : PASSED_ON;
  const passed: Record<string, string[]> = {};
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase();
    if (names.has(name)) (passed[name] ??= []).push(rawHeaders[i + 1]!);
  }
  const traceparent = currentTraceparent();
  return { ...passed, ...(traceparent && { traceparent }), 'x-request-id': id };
}

/** That of a failed call. */
export const problemIn = ({ _meta: meta }: CallToolResult): Record<string, unknown> | undefined =>
  meta?.[PROBLEM_META] as Record<string, unknown> | undefined;

/**
 * A failure as the model reads it; programs find it in `_meta` as the daemon writes it, and as the tool service does.
 */
export function failed(problem: Record<string, unknown>, tool?: Tool): CallToolResult {
  const { code, message, data } = failureOf(Number(problem['status'] ?? 200), problem, tool);
  return {
    content: [{ type: 'text', text: JSON.stringify(problem) }],
    isError: true,
    _meta: { [PROBLEM_META]: problem, [ERROR_META]: { code, message, data } },
  };
}
