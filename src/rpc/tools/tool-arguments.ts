import type { Address } from '../../common/contract/contract.js';
import { canonicalJson } from '../../evidence/canonical-json.js';
import { sha256 } from '../../evidence/sha256.js';
import { isDotSegment } from '../../common/http/dot-segment.js';
import { findFault } from '../../common/http/json-body.js';
import { invalidMembers, type Issue } from '../../common/problem/common-problems.js';
import { snakeCase } from '../../common/fields/snake-case.js';
import type { RpcFailure } from '../json-rpc.js';
import { schemaIssues } from './argument-validation.js';
import { CONTROL_PARAMETERS } from './control-parameters.js';
import { inApiSpelling, inOwnSpelling } from './nested-members.js';
import type { Tool, ToolAddress, ToolMember } from './tool.js';
import { failureOfProblem } from './tool-errors.js';

/** What a call says. */
export interface ToolArguments {
  /**
   * As given, under the names of the input schema and without what is about the call itself: what an approval is bound
   * to.
   */
  args: Record<string, unknown>;
  idempotencyKey?: string;
  approvalToken?: string;
  sessionToken?: string;
}

/** The request to the API that a call comes to. */
export interface ApiRequest {
  method: string;
  /** Filled in and percent-encoded, with the query. */
  path: string;
  /** The route's address. */
  address: Address;
  /** The parameters of the path as they are, not encoded. */
  params: Record<string, string>;
  query: Record<string, string | string[]>;
  /** What goes as a header of its own. */
  headers: Record<string, string | string[]>;
  /** Absent where the route takes none. */
  body?: object;
}

/**
 * Reads the params of a call.
 * @param requestId returned with the error
 * @throws RpcFailure -32602 with the body of ValidationFailed, naming every parameter that is wrong as params.<name>
 */
export function readArguments(tool: Tool, params: object | undefined, requestId?: string): ToolArguments {
  const refuse = (issues: Issue[]): RpcFailure => failureOfProblem(invalidMembers(issues), requestId);
  if (Array.isArray(params))
    throw refuse([
      { path: 'params', message: `must be an object: ${tool.definition.name} takes its parameters by name` },
    ]);
  const fault = findFault(params ?? {}, 'params');
  if (fault) throw refuse([fault]);
  const given = new Map<string, unknown>(Object.entries(params ?? {}));
  const issues = resolveAliases(tool, given);
  for (const [name, value] of Object.entries(tool.defaults)) if (!given.has(name)) given.set(name, value);
  for (const { name, nested } of tool.members)
    if (nested && given.has(name))
      given.set(name, inOwnSpelling(given.get(name), nested, { path: `params.${name}`, issues }));
  issues.push(...schemaIssues(tool, Object.fromEntries(given)), ...shapeIssues(tool, given));
  if (issues.length > 0) throw refuse(issues);
  return partsOf(given);
}

/** Puts what came under another name under the parameter's own; both are taken only when they say the same. */
function resolveAliases(tool: Tool, given: Map<string, unknown>): Issue[] {
  const issues: Issue[] = [];
  for (const [alias, name] of tool.aliases) {
    if (!given.has(alias)) continue;
    const value = given.get(alias);
    given.delete(alias);
    if (!given.has(name)) given.set(name, value);
    else if (given.get(name) !== value)
      issues.push({
        path: `params.${alias}`,
        message: `is another name of ${name}, and differs from it; send one of them`,
      });
  }
  return issues;
}

/** What a schema that clients cope with cannot say. */
function shapeIssues(tool: Tool, given: ReadonlyMap<string, unknown>): Issue[] {
  const chosen = tool.exactlyOne.filter((name) => given.has(name));
  const ofPath = tool.members.filter(({ place, name }) => place === 'path' && isDotSegment(given.get(name)));
  return [
    ...(tool.exactlyOne.length > 0 && chosen.length !== 1
      ? [{ path: 'params', message: `must have exactly one of ${tool.exactlyOne.join(' and ')}` }]
      : []),
    ...ofPath.map(({ name }) => ({
      path: `params.${name}`,
      message: 'must not be . or .., which addresses cannot hold',
    })),
    ...[...given.keys()]
      .filter((name) => isDoubled(tool, name))
      .map((name) => ({
        path: `params.${name}`,
        message: `is written ${snakeCase(name)} here`,
      })),
  ];
}

/** Where additional members are accepted, the API's own name of a parameter could be sent along with the parameter. */
const isDoubled = ({ definition, members, single, fixed }: Tool, name: string): boolean =>
  definition.inputSchema.additionalProperties &&
  !Object.hasOwn(definition.inputSchema.properties, name) &&
  (members.some(({ member }) => member === name) || name === 'idempotencyKey' || name === single || name in fixed);

function partsOf(given: Map<string, unknown>): ToolArguments {
  const [sessionToken, idempotencyKey, approvalToken] = CONTROL_PARAMETERS.map((name) => given.get(name));
  for (const name of CONTROL_PARAMETERS) given.delete(name);
  return {
    args: Object.fromEntries(given),
    ...(typeof idempotencyKey === 'string' ? { idempotencyKey } : {}),
    ...(typeof approvalToken === 'string' ? { approvalToken } : {}),
    ...(typeof sessionToken === 'string' ? { sessionToken } : {}),
  };
}

/** A call as far as it decides whether a repeat is the same one. */
export interface CallToRepeat {
  tenantId: string;
  principal: string;
  tool: string;
  arguments: object;
  /** What the effect rests on in addition, as it is now; any JSON value. */
  state: unknown;
}

/**
 * The key of an effect whose call has none: the same for the same call of the same caller while what it rests on is
 * the same (D28). `auto-` and 64 hexadecimal digits.
 */
export const derivedKey = (call: CallToRepeat): string =>
  `auto-${Buffer.from(sha256(canonicalJson(call))).toString('hex')}`;

/** @param args as readArguments gives them: they match the input schema */
export function requestOf(tool: Tool, args: Readonly<Record<string, unknown>>): ApiRequest {
  const { address, pathMembers } = addressFor(tool, args);
  const [method, pattern] = address.split(' ') as [string, string];
  const params = textsOf(pathMembers, args) as Record<string, string>;
  const query = textsOf(membersAt(tool, 'query'), args);
  const path = pattern.replace(/:(\w+)/g, (_, member: string) => encodeURIComponent(params[member]!));
  return {
    method,
    path: `${path}${searchOf(query)}`,
    address,
    params,
    query,
    headers: textsOf(membersAt(tool, 'header'), args),
    ...(tool.hasBody ? { body: bodyOf(tool, args) } : {}),
  };
}

const addressFor = ({ addresses }: Tool, args: Readonly<Record<string, unknown>>): ToolAddress =>
  addresses.find(({ pathMembers }) => pathMembers.every(({ name }) => Object.hasOwn(args, name))) ?? addresses[0]!;

const membersAt = ({ members }: Tool, place: ToolMember['place']): ToolMember[] =>
  members.filter((member) => member.place === place);

/** The arguments of these members under the API's names. */
function valuesOf(members: readonly ToolMember[], args: Readonly<Record<string, unknown>>): [string, unknown][] {
  return members
    .filter(({ name }) => Object.hasOwn(args, name))
    .map(({ name, member, nested }) => [member, inApiSpelling(args[name], nested)]);
}

/** The same as a query or a path writes them. */
const textsOf = (members: readonly ToolMember[], args: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    valuesOf(members, args).map(([member, value]) => [
      member,
      Array.isArray(value) ? value.map(String) : String(value),
    ]),
  );

export function searchOf(query: ApiRequest['query']): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(one)}`),
  );
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

function bodyOf(tool: Tool, args: Readonly<Record<string, unknown>>): object {
  const known = new Set(tool.members.map(({ name }) => name));
  const further = Object.entries(args).filter(([name]) => !known.has(name));
  const item = Object.fromEntries(valuesOf(membersAt(tool, 'single'), args));
  return {
    ...Object.fromEntries(further),
    ...Object.fromEntries(valuesOf(membersAt(tool, 'body'), args)),
    ...(tool.single ? { [tool.single]: [item] } : {}),
    ...tool.fixed,
  };
}
