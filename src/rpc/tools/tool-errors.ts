import { isRecord } from '../../evidence/canonical-json.js';
import { isReportedOff } from '../../common/contract/plane-reported-off.js';
import { FeatureDisabled, invalid, type Issue, type ValidationFailed } from '../../common/problem/common-problems.js';
import { bodyOf } from '../../common/problem/problem.filter.js';
import type { Problem } from '../../common/problem/problem.js';
import { RPC_CODES, RpcFailure, type RpcCode } from '../json-rpc.js';
import { placeInOwnSpelling } from './nested-members.js';
import { inParameterNames } from './parameter-names.js';
import type { Tool, ToolMember } from './tool.js';

/** The codes of D26, by status and, where a status says too little, by the type of the problem. */
const BY_STATUS: Record<number, RpcCode> = {
  400: RPC_CODES.invalidParams,
  401: RPC_CODES.unauthorized,
  403: RPC_CODES.forbidden,
  404: RPC_CODES.notFound,
  408: RPC_CODES.upstream,
  409: RPC_CODES.conflict,
  412: RPC_CODES.featureDisabled,
  413: RPC_CODES.invalidParams,
  415: RPC_CODES.invalidParams,
  422: RPC_CODES.conflict,
  429: RPC_CODES.rateLimited,
  502: RPC_CODES.upstream,
  503: RPC_CODES.upstream,
  504: RPC_CODES.upstream,
};
const BY_TYPE: Record<string, RpcCode> = {
  ShieldApprovalRequired: RPC_CODES.approvalRequired,
  ShieldDenied: RPC_CODES.shieldDenied,
  CreditsExhausted: RPC_CODES.quotaExhausted,
  QuotaExhausted: RPC_CODES.quotaExhausted,
  // The daemon's, of which one is 404 and one 501.
  FlagOff: RPC_CODES.featureDisabled,
  PlaneOff: RPC_CODES.featureDisabled,
};

export const codeOf = (status: number, type?: unknown): RpcCode =>
  BY_TYPE[kindOf(type)] ?? BY_STATUS[status] ?? RPC_CODES.internalError;

/** The name of a problem's kind: of the daemon, which writes `https://.../flag-off`, it is `FlagOff`. */
const kindOf = (type: unknown): string =>
  typeof type === 'string'
    ? type.replace(/^.*[/:]/, '').replace(/(?:^|[-_])([a-z])/g, (_, letter: string) => letter.toUpperCase())
    : '';

/** A refusal of either server: what is switched off names its switch as `feature`, however it is said. */
export function readRefusal(status: number, body: Record<string, unknown>): [number, Record<string, unknown>] {
  if (isReportedOff(body)) return [OFF.status, { ...OFF, ...body, feature: body['flag'] }];
  const isOff = codeOf(status, body['type']) === RPC_CODES.featureDisabled && typeof body['flag'] === 'string';
  return [status, isOff ? { ...body, feature: body['flag'] } : body];
}

/** What a plane that reports with 200 that it is off lacks of a problem. */
const OFF = {
  ...{ type: FeatureDisabled.type, title: FeatureDisabled.title, status: FeatureDisabled.status },
  ...{ code: 'FEATURE_DISABLED', retryable: false },
};

/** Maps a problem of the tool service itself to a failure. */
export function failureOfProblem(problem: Problem, requestId?: string): RpcFailure {
  const { request_id, ...rest } = bodyOf(problem, requestId ?? '');
  const data = requestId === undefined ? rest : { ...rest, request_id };
  return new RpcFailure(codeOf(problem.kind.status, problem.kind.type), messageOf(data), data, { cause: problem });
}

/**
 * Whether an answer of this media type is an object that a tool answers.
 * @param contentType as the header has it
 */
export const isJsonType = (contentType: unknown): boolean =>
  /^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(String(contentType));

/**
 * Why a call fails whose route answered with a file.
 * @param where what arguments are called in the place that answers
 */
export const fileProblem = (where: 'arguments' | 'params'): ValidationFailed =>
  invalid(`${where}.format`, 'asks for a file, and a tool answers JSON: leave it out');

/** Maps a success whose body is no JSON: of a tool without a format it is not an answer of the server itself. */
export const failureOfFile = ({ members }: Tool, requestId: string): RpcFailure =>
  members.some(({ name }) => name === 'format')
    ? failureOfProblem(fileProblem('params'), requestId)
    : new RpcFailure(RPC_CODES.upstream, NOT_UNDERSTOOD, unreadable(502));

/**
 * Maps an error response of a server to a failure. Its body is unchanged, except that the paths of issues name
 * parameters of the tool.
 * @param body the body as JSON, or undefined where it was none
 * @param tool absent where the response is to another request than that of the tool
 */
export function failureOf(answered: number, body: unknown, tool?: Tool): RpcFailure {
  const [status, problem] = isRecord(body) ? readRefusal(answered, body) : [answered, {}];
  const { type, issues } = problem;
  if (typeof type !== 'string') return new RpcFailure(codeOf(status), NOT_UNDERSTOOD, unreadable(status));
  if (tool && type === 'NotFound') return notOffered(status, problem, tool);
  const data = tool && Array.isArray(issues) ? withPlacesOf(tool, problem, issues as Issue[]) : problem;
  return new RpcFailure(codeOf(status, type), messageOf(data), data);
}

/**
 * The API does not know the address at all, as where agents may not register themselves: what it says of its addresses
 * helps no caller of a tool.
 */
function notOffered(status: number, body: Record<string, unknown>, { definition, route }: Tool): RpcFailure {
  const text = `This server does not offer ${definition.name}: ${route} is switched off`;
  return new RpcFailure(codeOf(status), text, { ...body, detail: text, message: text });
}

/** The daemon has no message. */
const messageOf = ({ message, detail, title }: Record<string, unknown>): string =>
  [message, detail, title].find((text) => typeof text === 'string') ?? NOT_UNDERSTOOD;

const NOT_UNDERSTOOD = 'The API gave an answer that is none of its own; what stands between may have failed';

function unreadable(status: number): Record<string, unknown> {
  return {
    type: 'UpstreamUnreadable',
    title: 'The answer of the API cannot be read',
    status,
    message: NOT_UNDERSTOOD,
    code: 'UPSTREAM_UNREADABLE',
    retryable: [502, 503, 504].includes(status),
  };
}

function withPlacesOf(tool: Tool, body: Record<string, unknown>, issues: Issue[]): Record<string, unknown> {
  const placed = issues.map((issue) => (isRecord(issue) ? inParams(tool, issue) : issue));
  const text = placed
    .slice(0, 5)
    .map(({ path, message }) => `${path}: ${message}`)
    .join('; ');
  // The text names the same places, and is made of the issues where they are all there is to it.
  return kindOf(body['type']) === 'ValidationFailed'
    ? { ...body, issues: placed, detail: text, message: text }
    : { ...body, issues: placed };
}

/** body.agentId to params.agent_id, and the same in the text of the message. */
function inParams(tool: Tool, issue: Issue): Issue {
  const message = inParameterNames(tool.members, issue.message);
  const [, place, member = '', rest = ''] = /^(body|query|path|headers)\.?([\w-]*)(.*)$/s.exec(issue.path) ?? [];
  if (place === undefined) return { ...issue, message };
  if (place === 'headers') return { ...issue, path: HEADERS[member] ?? issue.path, message };
  const known = tool.members.find((one) => one.member === member && one.place === place);
  return { ...issue, path: known ? pathIn(known, rest) : singlePath(tool, member, rest), message };
}

/** @param rest the place in the member, as the API writes it */
const pathIn = ({ name, nested }: ToolMember, rest: string): string =>
  `params.${name}${placeInOwnSpelling(rest, nested)}`;

const HEADERS: Record<string, string> = {
  'x-idempotency-key': 'params.idempotency_key',
  'x-shield-approval-token': 'params.shield_approval_token',
};

/** body.answers[0].questionId to params.question_id, where the tool sends a list of one. */
function singlePath(tool: Tool, member: string, rest: string): string {
  const inner = member === tool.single ? /^\[0\]\.(\w+)(.*)$/s.exec(rest) : null;
  const known = inner && tool.members.find((one) => one.place === 'single' && one.member === inner[1]);
  if (known) return pathIn(known, inner[2] ?? '');
  return member === '' || member === tool.single ? 'params' : `params.${member}${rest}`;
}
