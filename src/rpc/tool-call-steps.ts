import { Injectable } from '@nestjs/common';
import { argumentsDigest } from '../common/call-policy/call-arguments.js';
import type { ToolCall } from '../common/call-policy/tool-call-signer.js';
import { AutoSteps, autoTrace } from '../common/evidence-log/auto-steps.js';
import { Problem } from '../common/problem/problem.js';

/** What refuses a call, and is no failure of it. */
const REFUSALS = new Set([401, 403, 429]);

/** Tool calls as steps of the sessions that asked for it: opened before the call, closed by how it ended. */
@Injectable()
export class ToolCallSteps {
  constructor(private readonly steps: AutoSteps) {}

  async around<T>(call: ToolCall, session: string | undefined, work: () => Promise<T>): Promise<T> {
    if (session === undefined || !this.steps.isOn) return work();
    const { tenantId, principal: actor } = call.caller;
    const ids = await this.steps.addAlone(tenantId, [
      {
        ...{ session, actor, kind: 'tool', label: call.tool, status: 'open', at: new Date().toISOString() },
        inputs: [autoTrace('message', call.toolDigest, argumentsDigest(call.arguments))],
      },
    ]);
    try {
      const answer = await work();
      await this.steps.end(tenantId, session, ids, 'ok');
      return answer;
    } catch (error) {
      const isRefused = error instanceof Problem && REFUSALS.has(error.kind.status);
      await this.steps.end(tenantId, session, ids, isRefused ? 'denied' : 'error');
      throw error;
    }
  }
}
