import { readAs } from '../../common/fields/contract.pipe.js';
import { findFault } from '../../common/http/json-body.js';
import { Forbidden, invalid } from '../../common/problem/common-problems.js';
import { CONTROL_PARAMETERS } from '../tools/control-parameters.js';
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

const NOT_READ: ReadonlySet<string> = new Set([...CONTROL_PARAMETERS, 'tenant_id']);

/**
 * Reads the arguments of a call. The key of the effect, the token of an approval and the tenant are taken, and not
 * listed: what a model has no use for costs it nothing.
 * @throws ValidationFailed naming every argument that is wrong; Forbidden for another tenant than the credential's
 */
export function readAgentArguments(
  { given, name }: AgentTool,
  params: object | undefined,
  tenantId?: string,
): AgentArguments {
  if (Array.isArray(params)) throw invalid('arguments', `must be an object: ${name} takes its arguments by name`);
  const sent = (params ?? {}) as Record<string, unknown>;
  const fault = findFault(sent, 'arguments');
  if (fault) throw invalid(fault.path, fault.message);
  const { idempotency_key: key, shield_approval_token: token, tenant_id: tenant } = sent;
  if (tenant !== undefined && tenantId !== undefined && tenant !== tenantId)
    throw new Forbidden({}, 'tenant_id names another tenant than the credential; leave it out');
  const args = Object.fromEntries(Object.entries(sent).filter(([member]) => !NOT_READ.has(member)));
  return {
    ...{ args, given: readAs(given, args, 'arguments') },
    ...(typeof key === 'string' ? { idempotencyKey: key } : {}),
    ...(typeof token === 'string' ? { approvalToken: token } : {}),
  };
}
