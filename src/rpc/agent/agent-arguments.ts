import { readAs } from '../../common/fields/contract.pipe.js';
import { findFault } from '../../common/http/json-body.js';
import { Forbidden, invalid } from '../../common/problem/common-problems.js';
import { CONTROL_PARAMETERS } from '../tools/control-parameters.js';
import { effectKeyOf } from '../effect-key.js';
import type { Tool } from '../tools/tool.js';
import type { AgentTool } from './agent-tool.js';

/** What a call says. */
export interface AgentArguments {
  /** As it was given, without what is about the call itself: what an approval is bound to. */
  args: Record<string, unknown>;
  /** The same, read: with defaults. */
  given: object;
  idempotencyKey?: string;
  approvalToken?: string;
}

/** What is known of a call next to its arguments. */
interface Known {
  /** That of the credential. */
  tenantId?: string | undefined;
  /** The key of the effect, where the request has one. */
  headerKey?: string | undefined;
}

const NOT_READ: ReadonlySet<string> = new Set([...CONTROL_PARAMETERS, 'tenant_id']);

/**
 * Reads the arguments of a call. The key of the effect, the token of an approval and the tenant are taken, and not
 * listed: what a model has no use for costs it nothing.
 * @throws ValidationFailed naming every argument that is wrong; Forbidden for another tenant than the credential's;
 * IdempotencyKeyRequired for a key that is none
 */
export function readAgentArguments(
  { given, name, isRead }: AgentTool,
  params: object | undefined,
  { tenantId, headerKey }: Known = {},
): AgentArguments {
  if (Array.isArray(params)) throw invalid('arguments', `must be an object: ${name} takes its arguments by name`);
  const sent = (params ?? {}) as Record<string, unknown>;
  const fault = findFault(sent, 'arguments');
  if (fault) throw invalid(fault.path, fault.message);
  const { idempotency_key: key, shield_approval_token: token, tenant_id: tenant } = sent;
  if (tenant !== undefined && tenantId !== undefined && tenant !== tenantId)
    throw new Forbidden({}, 'tenant_id names another tenant than the credential; leave it out');
  const args = Object.fromEntries(Object.entries(sent).filter(([member]) => !NOT_READ.has(member)));
  const idempotencyKey = isRead ? undefined : effectKeyOf(key, headerKey);
  return {
    ...{ args, given: readAs(given, args, 'arguments') },
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(typeof token === 'string' ? { approvalToken: token } : {}),
  };
}

/** What more_tools answers to a name of no tool. */
export const otherToolUnknown = () => invalid('tool', 'names no tool; more_tools without arguments lists the sets');

/**
 * Arguments of a tool that more_tools calls: the tenant that it must have is the caller's, and more_tools does not
 * show it.
 */
export async function withTenant(
  { definition }: Tool | AgentTool,
  given: Record<string, unknown>,
  tenantOf: () => Promise<string | undefined>,
): Promise<Record<string, unknown>> {
  const { required = [] } = definition.inputSchema;
  if (!required.includes('tenant_id') || given['tenant_id'] !== undefined) return given;
  const tenantId = await tenantOf();
  return tenantId === undefined ? given : { ...given, tenant_id: tenantId };
}
