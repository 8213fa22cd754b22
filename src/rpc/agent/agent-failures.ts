import { snakeCase } from '../../common/fields/snake-case.js';
import type { Issue } from '../../common/problem/common-problems.js';
import { Problem } from '../../common/problem/problem.js';
import { RPC_CODES, RpcFailure } from '../json-rpc.js';
import { codeOf, failureOfProblem, refusalOf } from '../tools/tool-errors.js';
import { RouteRefusal } from './servers.js';

/** How a call of a tool for agents failed, in its own arguments; anything unexpected goes on as it is. */
export function failureOfAgentCall(error: unknown, tool: string, requestId: string): unknown {
  if (error instanceof RouteRefusal) return failureOfRefusal(error, tool, requestId);
  if (!(error instanceof Problem)) return error;
  const { code, data = {}, message } = failureOfProblem(error, requestId);
  return failure(code, tool, { ...data, message });
}

function failureOfRefusal(refusal: RouteRefusal, tool: string, requestId: string) {
  const { kind, message } = refusal;
  const [status, problem] = refusalOf(refusal.status, refusal.problem);
  const type = kind === '' ? problem['type'] : kind;
  return failure(codeOf(status, type), tool, { request_id: requestId, ...problem, type, message });
}

function failure(code: RpcFailure['code'], tool: string, data: Record<string, unknown>): RpcFailure {
  const issues = Array.isArray(data['issues']) ? (data['issues'] as Issue[]).map(inArguments) : undefined;
  const said = issues ? issues.map(({ path, message }) => `${path} ${message}`).join('; ') : String(data['message']);
  const text = code === RPC_CODES.internalError ? said : `${tool}: ${said}`;
  return new RpcFailure(code, text, { ...data, ...(issues && { issues }), detail: text, message: text }, { text });
}

/** `body.corpusIds[0]` is the argument `corpus_ids[0]`. */
function inArguments({ path, message }: Issue): Issue {
  const named = path
    .replace(/^(arguments|params|body|query|path)\.?/, '')
    .split('.')
    .map((step) => step.replace(/^\w+/, snakeCase))
    .join('.');
  // Some rules begin with the name of the member.
  return { path: named, message: message.startsWith(`${named} `) ? message.slice(named.length + 1) : message };
}
