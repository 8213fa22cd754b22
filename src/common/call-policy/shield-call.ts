import type { FastifyRequest } from 'fastify';
import type { RouteRecord } from '../contract/contract.js';
import { headerOf, isDuplicated, isStorableText } from '../http/headers.js';
import { invalid } from '../problem/common-problems.js';
import { argumentsOf } from './call-arguments.js';
import { inLowerCase } from '../fields/lower-case.js';
import { SERVER_ID, TOOL_DIGEST } from './call-names.js';
import type { ShieldCall } from './shield-pipeline.js';
import type { SignedToolCall } from './tool-call-signer.js';

/** Addresses an owner needs to undo what the shield does; nothing switches them off. */
export const isAlwaysOpen = (address: string): boolean => /^[A-Z]+ \/(v1\/shield\/|frontdoor\/)/.test(address);

/**
 * What the shield decides on, read from a request. The arguments are those that were sent, before defaults are filled
 * in.
 */
export function shieldCallOf(request: FastifyRequest, route: RouteRecord): ShieldCall {
  if (!request.caller) throw new Error(`${route.address} passes the shield but has no caller`);
  const toolDigest = checked(request, 'x-shield-tool-digest', TOOL_DIGEST, 'must be sha256:<64 hexadecimal digits>');
  const serverId = checked(request, 'x-shield-server-id', SERVER_ID, 'must be 1 to 120 printable characters of ASCII');
  return {
    caller: request.caller,
    action: route.address,
    isRead: !route.idempotent,
    arguments: argumentsOf(request.params, request.query, request.body),
    approvalToken: checked(
      request,
      'x-shield-approval-token',
      /^[\s\S]{8,}$/,
      'must be at least 8 characters; leave it out when there is no approval',
    ),
    toolDigest: toolDigest && inLowerCase(toolDigest),
    serverId: serverId && inLowerCase(serverId),
  };
}

/** The same for a request that is a tool's call: it goes by what the tool service signed. */
export function signedCallOf(request: FastifyRequest, route: RouteRecord, signed: SignedToolCall): ShieldCall {
  const { decisionId, argumentsDigest, argumentsBytes } = signed;
  return {
    ...shieldCallOf(request, route),
    action: signed.tool,
    route: route.address,
    arguments: signed.arguments,
    serverId: signed.serverId,
    toolDigest: signed.toolDigest,
    decided: { decisionId, argumentsDigest, argumentsBytes },
  };
}

function checked(request: FastifyRequest, name: string, form: RegExp, message: string): string | undefined {
  const value = headerOf(request, name);
  // Two values arrive as one, joined by a comma: the name of nothing, which nothing stops.
  if (value !== undefined && isDuplicated(request.raw, name)) throw invalid(`headers.${name}`, 'must be sent once');
  if (value === undefined || (form.test(value) && isStorableText(value))) return value;
  throw invalid(`headers.${name}`, message);
}
