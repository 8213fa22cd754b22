import type { FastifyRequest } from 'fastify';
import type { RouteRecord } from '../contract/contract.js';
import { headerOf, isStorableText } from '../http/headers.js';
import { invalid } from '../problem/common-problems.js';
import { argumentsOf } from './call-arguments.js';
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
    toolDigest: checked(
      request,
      'x-shield-tool-digest',
      /^sha256:[0-9a-f]{64}$/,
      'must be sha256:<64 hexadecimal digits>',
    ),
    serverId: checked(request, 'x-shield-server-id', /^[\s\S]{1,120}$/, 'must be 1 to 120 characters'),
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
  if (value === undefined || (form.test(value) && isStorableText(value))) return value;
  throw invalid(`headers.${name}`, message);
}
