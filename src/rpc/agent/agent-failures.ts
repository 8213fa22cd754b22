import { snakeCase } from '../../common/fields/snake-case.js';
import type { Issue } from '../../common/problem/common-problems.js';
import { Problem } from '../../common/problem/problem.js';
import { RPC_CODES, RpcFailure } from '../json-rpc.js';
import { codeOf, failureOfProblem, readRefusal } from '../tools/tool-errors.js';
import { argumentAt } from './argument-names.js';
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
  const [status, problem] = readRefusal(refusal.status, refusal.problem);
  const type = kind === '' ? problem['type'] : kind;
  return failure(codeOf(status, type), tool, { request_id: requestId, ...problem, type, message });
}

function failure(code: RpcFailure['code'], tool: string, data: Record<string, unknown>): RpcFailure {
  const found = Array.isArray(data['issues']) ? (data['issues'] as Issue[]) : undefined;
  const issues = found && firstOfEach(found.map((issue) => inArguments(tool, issue)));
  const said = issues ? issues.map(lineOf).join('; ') : String(data['message']);
  const text = code === RPC_CODES.internalError ? said : `${tool}: ${said}`;
  return new RpcFailure(code, text, { ...data, ...(issues && { issues }), detail: text, message: text }, { text });
}

/** What is of another type breaks every other rule of its argument too: a model needs the first alone. */
const firstOfEach = (issues: Issue[]): Issue[] =>
  issues.filter(({ path }, at) => path === '' || issues.findIndex((one) => one.path === path) === at);

/** What is wrong with the arguments as a whole has no path. */
const lineOf = ({ path, message }: Issue): string => (path === '' ? message : `${path} ${message}`);

/** `body.corpusIds[0]` is the argument `corpus_ids[0]`. */
function inArguments(tool: string, { path, message }: Issue): Issue {
  const place = path.replace(/^(arguments|params|body|query|path|headers)(?:\.|$)/, '');
  const member = place.split('.').map((step) => step.replace(/^\w+/, snakeCase));
  const named = path.startsWith('arguments') ? member.join('.') : argumentAt(tool, member.join('.'));
  // Some rules begin with the name of the member.
  const own = [named, member.join('.'), member.at(-1)!, place.split('.').at(-1)!];
  const begins = own.find((name) => name !== '' && message.startsWith(`${name} `));
  return { path: named, message: begins === undefined ? message : message.slice(begins.length + 1) };
}
