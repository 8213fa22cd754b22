import { Inject, Injectable } from '@nestjs/common';
import { argumentsDigest } from '../common/call-policy/call-arguments.js';
import type { ToolCall } from '../common/call-policy/tool-call-signer.js';
import { type AutoStep, AutoSteps, autoTrace } from '../common/evidence-log/auto-steps.js';
import { LOG, type Log } from '../common/observability/log.js';
import { Problem } from '../common/problem/problem.js';
import { RpcFailure } from './json-rpc.js';

/** What refuses a call, and is no failure of it. */
const REFUSALS = new Set([401, 403, 429]);

/** How a step ends whose call failed with this HTTP status. */
export const statusOf = (status: number): AutoStep['status'] => (REFUSALS.has(status) ? 'denied' : 'error');

type ObservedCall = Pick<ToolCall, 'tool' | 'toolDigest' | 'arguments'> & {
  caller: Pick<ToolCall['caller'], 'tenantId' | 'principal'>;
};

/** Tool calls as steps of the sessions that asked for it: opened before the call, closed by how it ended. */
@Injectable()
export class ToolCallSteps {
  constructor(
    private readonly steps: AutoSteps,
    @Inject(LOG) private readonly log: Log,
  ) {}

  get isOn(): boolean {
    return this.steps.isOn;
  }

  /** @param endOf how an answer ends the step, where failures are answers too */
  async around<T>(
    call: ObservedCall,
    session: string | undefined,
    work: () => Promise<T>,
    endOf: (answer: T) => AutoStep['status'] = () => 'ok',
  ): Promise<T> {
    if (session === undefined || !this.isOn) return work();
    const { tenantId, principal: actor } = call.caller;
    const ids = await this.steps.addAlone(tenantId, [
      {
        ...{ session, actor, kind: 'tool', label: call.tool, status: 'open', at: new Date().toISOString() },
        inputs: [autoTrace('message', call.toolDigest, argumentsDigest(call.arguments))],
      },
    ]);
    // What the call came to is answered, whether it can be noted or not: its effect is there.
    const end = (status: AutoStep['status']): Promise<void> =>
      this.steps
        .end(tenantId, session, ids, status)
        .catch((error: unknown) => this.log.warn({ error, tool: call.tool }, 'the step of a tool call was not ended'));
    let answer: T;
    try {
      answer = await work();
    } catch (error) {
      await end(statusOf(statusIn(error)));
      throw error;
    }
    await end(endOf(answer));
    return answer;
  }
}

function statusIn(error: unknown): number {
  if (error instanceof Problem) return error.kind.status;
  return error instanceof RpcFailure ? Number(error.data?.['status'] ?? 500) : 500;
}
