import { Injectable } from '@nestjs/common';
import { RouteManifest } from '../../../common/contract/route-manifest.js';
import { AGENT_TOOL_NAMES, DAEMON_TOOL_NAMES, TOOL_NAMES } from '../../../common/contract/tool-names.js';
import { UUID_FORM } from '../../../common/ids/uuid-form.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { SERVER_ID } from '../../../common/call-policy/call-names.js';
import { inLowerCase } from '../../../common/fields/lower-case.js';
import { isAlwaysOpen } from '../../../common/call-policy/shield-call.js';
import { matchesAction } from './decisions/decision.rules.js';
import type { SwitchScope } from './shield.types.js';

const PRINCIPAL = new RegExp(`^(key|seat|agent):${UUID_FORM}$`);
/** Those whom the memory daemon authenticated. */
const DELEGATED = /^(sub|passport):[!-~]{1,256}$/;
const TOOLS: ReadonlySet<string> = new Set([...TOOL_NAMES, ...AGENT_TOOL_NAMES, ...DAEMON_TOOL_NAMES]);

/**
 * Makes sure that what a switch, a sampling policy or a request names can be met: a switch with a slip of the pen would
 * stop nothing and say so to nobody.
 */
@Injectable()
export class TargetsService {
  constructor(private readonly manifest: RouteManifest) {}

  /** @throws ValidationFailed naming body.target */
  targetOf(scope: SwitchScope, target: string | null | undefined): string | null {
    if (scope === 'tenant') {
      if (target === undefined || target === null) return null;
      throw invalid('body.target', 'is left out for scope tenant');
    }
    if (target === undefined || target === null) throw invalid('body.target', `is needed for scope ${scope}`);
    if (scope === 'action') return this.actionOf(target, 'body.target', { allowsStar: true });
    if (scope === 'principal') return this.principalOf(target, 'body.target');
    if (scope === 'server' && !SERVER_ID.test(target))
      throw invalid('body.target', 'must be a serverId: 1 to 120 printable characters of ASCII');
    return inLowerCase(target);
  }

  /** @throws ValidationFailed */
  principalOf(given: string, path: string): string {
    const principal = inLowerCase(given);
    if (PRINCIPAL.test(principal)) return principal;
    if (DELEGATED.test(given)) return given;
    throw invalid(path, 'must be a principal: key:<id>, seat:<id>, agent:<id>, sub:<subject> or passport:<id>');
  }

  /**
   * Whether calls of an action leave a decision where they are allowed: those of tools, and of routes that change
   * something.
   */
  leavesDecisions(action: string): boolean {
    return (
      this.isTool(action) ||
      this.manifest.routes.some(({ address, idempotent }) => idempotent && matchesAction(action, address))
    );
  }

  /** Whether an action is a tool of the tool service. */
  isTool(action: string): boolean {
    return TOOLS.has(action);
  }

  /**
   * An action as decisions name it: `POST /v1/ingest/:id` for `POST /v1/ingest/{id}` too.
   * @throws ValidationFailed when it names neither a route nor a tool
   */
  actionOf(given: string, path: string, { allowsStar = false } = {}): string {
    if (this.isTool(given)) return given;
    const action = given.replace(/\{(\w+)\}/g, ':$1');
    if (action.endsWith('*') && !allowsStar) throw invalid(path, 'must name one action, without a star');
    const shielded = this.manifest.routes.filter(
      ({ address, access }) => access.kind !== 'anyone' && !isAlwaysOpen(address) && address.includes(' /v1/'),
    );
    if (shielded.some(({ address }) => matchesAction(action, address))) return action;
    if (this.manifest.routes.some(({ address }) => matchesAction(action, address)))
      throw invalid(path, 'names a route that the shield leaves open, so that a switch can always be lifted');
    throw invalid(
      path,
      'names no route and no tool; write a route as /openapi.json does, the method first: POST /v1/ingest; a tool as GET /capabilities of the tool service lists it: tip_platform',
    );
  }
}
