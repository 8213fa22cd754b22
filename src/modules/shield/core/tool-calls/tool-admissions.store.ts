import { Injectable } from '@nestjs/common';
import { digestBytes } from '../../../../evidence/digest.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import type { DigestedCall, ShieldFacts } from '../shield.types.js';

/** What decisions on a principal's calls of one tool rest on. */
export interface ToolCallFacts {
  facts: ShieldFacts;
  /** Of the sampling policies: their changes leave the policy version alone. */
  sampling: string | null;
}

/** A call that may go on, as long as what that rests on is what stands. */
export interface AllowedToolCall {
  call: DigestedCall;
  decisionId: string;
  sampledBy: string[];
  known: ToolCallFacts;
  /** Calls a minute; 0: any number. */
  limit: number;
  isCounted: boolean;
}

export type AdmissionState = 'admitted' | 'limited' | 'changed';

/** Windows and decisions of tool calls, each method one round trip outside of a unit of work. */
@Injectable()
export class ToolAdmissionsStore {
  constructor(private readonly tenancy: Tenancy) {}

  async readFacts({ caller, serverId, toolDigest }: DigestedCall): Promise<ToolCallFacts> {
    const [row] = await this.tenancy.call<ToolCallFacts>(
      'select facts, sampling from svc_tool_call_facts($1, $2, $3, $4)',
      [caller.tenantId, caller.principal, serverId, toolDigest],
    );
    if (!row) throw new Error('the facts of a tool call were not read');
    return row;
  }

  /** @returns 0 when the call was counted, otherwise the seconds until the next window */
  async count({ caller }: DigestedCall, limit: number): Promise<number> {
    const [row] = await this.tenancy.write<{ wait: number }>('select svc_count_tool_call($1, $2, $3) as wait', [
      caller.tenantId,
      caller.principal,
      limit,
    ]);
    if (!row) throw new Error('a tool call was not counted');
    return row.wait;
  }

  /** Counts the call and records the decision on it. */
  async admit(allowed: AllowedToolCall): Promise<{ state: AdmissionState; wait: number }> {
    const { call, decisionId, sampledBy, known, limit, isCounted } = allowed;
    const [row] = await this.tenancy.write<{ state: AdmissionState; wait: number }>(
      'call svc_admit_tool_call($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, null, null)',
      [
        call.caller.tenantId,
        call.caller.principal,
        call.caller.authType,
        limit,
        isCounted,
        decisionId,
        call.action,
        call.serverId,
        call.toolDigest,
        digestBytes('sha256', call.argumentsDigest),
        known.facts.policyVersion,
        known.sampling,
        sampledBy,
      ],
    );
    if (!row) throw new Error('a tool call was not decided on');
    return row;
  }
}
