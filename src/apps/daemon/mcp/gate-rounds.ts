import {
  isInputRequiredResult,
  type CallToolResult,
  type InputRequiredResult,
  type InputResponseView,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { canonicalJson } from '../../../evidence/canonical-json.js';
import { namedDigest } from '../../../evidence/digest.js';
import { sha256 } from '../../../evidence/sha256.js';
import { GateDecided } from '../../../modules/coordination/work/gates/gates.problems.js';
import type { GateResolution } from '../../../modules/coordination/work/gates/gates.dto.js';
import { GATE_DAYS } from '../../../modules/coordination/work/gates/gates.rules.js';
import type { QueuedMove, WorkChangeReply } from '../../../modules/coordination/work/work.dto.js';
import { McpRounds } from '../../../rpc/mcp/mcp-rounds.js';
import { callRoute, failed, type ToolRoutes } from './tool-call.js';

const TTL_SECONDS = GATE_DAYS * 86_400;

/** A call of a tool, in one of its rounds. */
export interface GatedCall {
  name: string;
  given: Record<string, unknown>;
  request: FastifyRequest;
  context: ServerContext;
  /** Whether the client shows people what a server asks. */
  canAsk: boolean;
  run: () => Promise<Outcome>;
}

/** What comes back with the client's answer: the call and the gate that it waits at. Signed, and not secret. */
interface AskedAtGate {
  actionId: string;
  workId: string;
  applied: string[];
  call: string;
  round: number;
}

export type Outcome = CallToolResult | InputRequiredResult;

/**
 * Calls whose change waits at a gate, as multi round-trip requests (MCP 2026-07-28, basic/patterns/mrtr), like those
 * that need an approval: the client is asked to have its user wait for the decision, and repeats the call.
 * Nothing is kept between the rounds but the gate itself.
 */
export class GateRounds {
  private readonly rounds;

  constructor(
    key: Buffer,
    private readonly routes: ToolRoutes,
    identity: () => string,
  ) {
    this.rounds = new McpRounds<AskedAtGate>({ key, ttlSeconds: TTL_SECONDS, bind: () => identity() });
  }

  /** @throws Error when the state is not one that was asked with, or no longer */
  open(state: string, context: ServerContext): Promise<AskedAtGate> {
    return this.rounds.open(state, context);
  }

  /** A later round: the call ran in an earlier one. @throws ProtocolError */
  async goOn(call: GatedCall): Promise<Outcome> {
    const { asked, answer } = this.rounds.find(call.context, digestOf(call))!;
    return this.resume(call, asked, answer);
  }

  async begin(call: GatedCall): Promise<Outcome> {
    const result = await call.run();
    const waiting = call.canAsk && !isInputRequiredResult(result) ? waitingIn(result) : undefined;
    if (!waiting) return result;
    const { work, applied, queued } = waiting;
    const { action_id: actionId } = queued[0];
    return this.ask(call, { actionId, workId: work.work_id, applied, call: digestOf(call), round: 0 });
  }

  /** Whoever does not want to wait is shown what there is; the gate stays open. */
  private async resume(call: GatedCall, asked: AskedAtGate, answer: InputResponseView): Promise<Outcome> {
    if (answer.kind !== 'elicit') return this.ask(call, asked, 'An answer is still missing.');
    const { http, problems } = this.routes;
    const path = `/v1/work/gate/${asked.actionId}/state`;
    const found = await callRoute(http, { method: 'GET', path, body: undefined }, call.request);
    if (found.status >= 400) return failed(found.answer);
    const gate = found.answer as unknown as GateResolution;
    if (gate.status === 'approved') return this.show(call, asked, [...asked.applied, 'state']);
    if (gate.status !== 'pending') return failed(problems.bodyOf(endedAs(gate), call.request.id));
    if (answer.action === 'accept') return this.ask(call, asked, 'It is not decided on yet.');
    return this.show(call, asked, asked.applied, [
      { action_id: asked.actionId, from: gate.before.state, to: gate.after.state },
    ]);
  }

  /** The item as it is: a change that names nothing answers it, to whoever may change it. */
  private async show(
    { given, request }: GatedCall,
    { workId }: AskedAtGate,
    applied: string[],
    queued: QueuedMove[] = [],
  ): Promise<CallToolResult> {
    const { by_passport } = given;
    const sent = { method: 'PATCH', path: `/v1/work/${workId}`, body: { by_passport } };
    const { status, answer } = await callRoute(this.routes.http, sent, request);
    if (status >= 400) return failed(answer);
    const shown = { ...answer, applied, queued };
    return { content: [{ type: 'text', text: JSON.stringify(shown) }], structuredContent: shown, isError: false };
  }

  private ask(call: GatedCall, asked: AskedAtGate, remark = ''): Promise<InputRequiredResult> {
    return this.rounds.ask(call.context, asked, [remark, messageFor(call, asked)].join(' ').trim());
  }
}

const messageFor = ({ name }: GatedCall, { actionId }: AskedAtGate): string =>
  `${name} needs the approval of another passport. The gate is ${actionId}; it stays open for ${GATE_DAYS} days, until the item changes. ` +
  `Another passport looks at it with list_pending_gates and decides with decide_gate, or POST /v1/work/gate/${actionId}/approve or /reject. ` +
  'Continue when it is approved. Decline to go on without waiting.';

type Waiting = WorkChangeReply & { queued: [QueuedMove, ...QueuedMove[]] };

/** What of a result waits at a gate. */
function waitingIn({ structuredContent, isError }: CallToolResult): Waiting | undefined {
  const { queued } = (structuredContent ?? {}) as { queued?: unknown };
  return !isError && Array.isArray(queued) && queued.length > 0 ? (structuredContent as Waiting) : undefined;
}

function endedAs({ action_id, status, decided_by, decided_at, reason }: GateResolution): GateDecided {
  const facts = { action_id, decision: status, decided_by, decided_at, reason };
  return new GateDecided(facts, `The change was not made: it was ${status}. ${reason ?? 'No reason was given'}`);
}

const digestOf = ({ name, given }: GatedCall): string => namedDigest('sha256', sha256(canonicalJson({ name, given })));
