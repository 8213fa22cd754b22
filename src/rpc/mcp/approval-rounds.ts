import type {
  CallToolResult,
  InputRequiredResult,
  InputResponseView,
  ServerContext,
} from '@modelcontextprotocol/server';
import { canonicalJson } from '../../evidence/canonical-json.js';
import { namedDigest } from '../../evidence/digest.js';
import { sha256 } from '../../evidence/sha256.js';
import { problem } from '../../common/problem/problem.js';
import { APPROVAL_SECONDS } from '../../modules/shield/core/approvals/approval.rules.js';
import type { Handover } from '../../modules/shield/core/approvals/approval-handover.service.js';
import { RPC_CODES, RpcFailure } from '../json-rpc.js';
import { CONTROL_PARAMETERS } from '../tools/control-parameters.js';
import { failureOfProblem } from '../tools/tool-errors.js';
import { McpRounds } from './mcp-rounds.js';

class ApprovalGivenUp extends problem<{ approvalRequestId: string }>(
  403,
  'ApprovalGivenUp',
  'The approval of this call was not waited for',
) {}
class ApprovalRejected extends problem<{ approvalRequestId: string }>(
  403,
  'ApprovalRejected',
  'The approval of this call was refused',
) {}

/** A call of a tool over the Model Context Protocol, in one of its rounds. */
export interface McpCall {
  name: string;
  given: Record<string, unknown>;
  requestId: string;
  context: ServerContext;
  /** Whether the client shows people what a server asks (elicitation in form mode). */
  canAsk: boolean;
  /** @throws RpcFailure */
  run: (extra?: { shield_approval_token: string }) => Promise<CallToolResult>;
}

/** Who asks, and is to answer: what is asked in one round is answered by nobody else in the next. */
export interface Asker {
  /** Only its keyed digest leaves the process. */
  identity: () => string;
  /**
   * @returns undefined when it has asked for no such approval
   * @throws RpcFailure when its credential holds no longer
   */
  take: (approvalRequestId: string) => Promise<Handover | undefined>;
}

/** The state that comes back with the client's answer: the call and the approval asked for. Signed, and not secret. */
interface Asked {
  approvalRequestId: string;
  call: string;
  round: number;
}

type Outcome = CallToolResult | InputRequiredResult;

/**
 * Calls that need the approval of another owner, as multi round-trip requests (MCP 2026-07-28, basic/patterns/mrtr):
 * the client is asked to have its user wait for the approval, and repeats the call. Nothing is kept between the rounds
 * but the approval request itself.
 */
export class ApprovalRounds {
  private readonly rounds;

  constructor(
    key: Buffer,
    private readonly asker: Asker,
  ) {
    this.rounds = new McpRounds<Asked>({ key, ttlSeconds: APPROVAL_SECONDS, bind: () => asker.identity() });
  }

  /** @throws Error when the state is not one that was asked with, or no longer */
  open(state: string, context: ServerContext): Promise<Asked> {
    return this.rounds.open(state, context);
  }

  /** @throws RpcFailure, ProtocolError */
  async run(call: McpCall): Promise<Outcome> {
    const before = this.rounds.find(call.context, digestOf(call));
    return before ? this.resume(call, before.asked, before.answer) : this.attempt(call);
  }

  private async resume(call: McpCall, asked: Asked, answer: InputResponseView): Promise<Outcome> {
    const { approvalRequestId } = asked;
    if (answer.kind !== 'elicit') return this.ask(call, asked, 'An answer is still missing.');
    if (answer.action !== 'accept')
      throw refused(
        call,
        new ApprovalGivenUp({ approvalRequestId }, `The user chose ${answer.action}; nothing was done`),
      );
    const found = await this.asker.take(approvalRequestId);
    if (found?.state === 'approved') return this.attemptApproved(call, found.token, asked);
    if (found?.state === 'pending') return this.ask(call, asked, 'It is not approved yet.');
    if (found?.state === 'rejected')
      throw refused(call, new ApprovalRejected({ approvalRequestId }, found.reason ?? 'No reason was given'));
    // Used: the same call is answered as before where it has a key. Expired or void: the approval is requested again.
    return this.attempt(call, asked);
  }

  private async attemptApproved(call: McpCall, token: string, asked: Asked): Promise<Outcome> {
    try {
      return await call.run({ shield_approval_token: token });
    } catch (error) {
      if (!isVoid(error)) throw error;
      return this.attempt(call, asked);
    }
  }

  private async attempt(call: McpCall, before?: Asked): Promise<Outcome> {
    try {
      return await call.run();
    } catch (error) {
      const approvalRequestId = call.canAsk ? requestOf(error) : undefined;
      if (approvalRequestId === undefined) throw error;
      return this.ask(call, { approvalRequestId, call: digestOf(call), round: before?.round ?? 0 });
    }
  }

  private ask(call: McpCall, asked: Asked, remark = ''): Promise<InputRequiredResult> {
    return this.rounds.ask(call.context, asked, [remark, messageFor(call, asked.approvalRequestId)].join(' ').trim());
  }
}

const messageFor = ({ name }: McpCall, approvalRequestId: string): string =>
  `${name} needs the approval of another owner of the tenant. The request is ${approvalRequestId}; it stays open for ${APPROVAL_SECONDS / 60} minutes. ` +
  `Another owner looks at it with GET /v1/shield/approvals/${approvalRequestId} and decides with POST /v1/shield/approvals/${approvalRequestId}/resolve. ` +
  'Continue when it is approved: the call then runs, once. Decline to give the call up.';

const refused = ({ requestId }: McpCall, why: ApprovalGivenUp | ApprovalRejected): RpcFailure =>
  failureOfProblem(why, requestId);

/** The approval that a failure asks for. */
function requestOf(error: unknown): string | undefined {
  if (!(error instanceof RpcFailure) || error.code !== RPC_CODES.approvalRequired) return undefined;
  const id = error.data?.approvalRequestId;
  return typeof id === 'string' ? id : undefined;
}

/** Whether the approval opened the call no longer: someone else used it meanwhile, or the policy changed. */
function isVoid(error: unknown): boolean {
  if (!(error instanceof RpcFailure) || error.code !== RPC_CODES.shieldDenied) return false;
  return (error.data?.denial as { type?: unknown } | undefined)?.type === 'approval_void';
}

/**
 * What an approval is about, and so what a round is bound to: the tool and its arguments, without those about the call
 * itself.
 */
function digestOf({ name, given }: McpCall): string {
  const args = Object.entries(given).filter(
    ([parameter]) => !CONTROL_PARAMETERS.some((control) => control === parameter),
  );
  return namedDigest('sha256', sha256(canonicalJson({ name, args: Object.fromEntries(args) })));
}
