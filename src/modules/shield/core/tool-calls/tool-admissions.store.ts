import { Injectable } from '@nestjs/common';
import { digestBytes } from '../../../../evidence/digest.js';
import { GroupCommit } from '../../../../common/tenancy/group-commit.js';
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

type AdmissionState = 'admitted' | 'limited' | 'changed';

/** What became of a call: limited for so many seconds, or counted. */
export interface Admitted {
  state: AdmissionState;
  wait: number;
}

/** Calls that are admitted by one statement. */
const MOST_TOGETHER = 64;

/** Windows and decisions of tool calls, each method one round trip outside of a unit of work. */
@Injectable()
export class ToolAdmissionsStore {
  private readonly group = new GroupCommit<AllowedToolCall, Admitted>({
    take: ({ length }) => Math.min(length, MOST_TOGETHER),
    write: async (calls) => (calls.length > 1 ? this.admitTogether(calls) : [await this.admitAlone(calls[0]!)]),
    waitsForNone: true,
  });

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

  /**
   * Counts the call and records the decision on it. Calls of one principal that wait while others are being written go
   * together.
   */
  admit(allowed: AllowedToolCall): Promise<Admitted> {
    const { tenantId, principal } = allowed.call.caller;
    return this.group.add(JSON.stringify([tenantId, principal]), allowed);
  }

  private async admitAlone(allowed: AllowedToolCall): Promise<Admitted> {
    const { call, decisionId, sampledBy, known, limit, isCounted } = allowed;
    const [row] = await this.tenancy.write<Admitted>(
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

  private async admitTogether(group: readonly AllowedToolCall[]): Promise<Admitted[]> {
    const { call, limit } = group[0]!;
    const [row] = await this.tenancy.write<{ states: AdmissionState[]; wait: number }>(
      'call svc_admit_tool_calls($1, $2, $3, $4, null, null)',
      [call.caller.tenantId, call.caller.principal, limit, JSON.stringify(group.map(rowOf))],
    );
    if (row?.states.length !== group.length) throw new Error('a tool call was not decided on');
    return row.states.map((state) => ({ state, wait: row.wait }));
  }
}

const rowOf = ({ call, decisionId, sampledBy, known, isCounted }: AllowedToolCall) => ({
  ...{ is_counted: isCounted, decision_id: decisionId, auth_type: call.caller.authType, action: call.action },
  ...{ server_id: call.serverId, tool_digest: call.toolDigest, sampled_by: sampledBy },
  arguments_digest: digestBytes('sha256', call.argumentsDigest).toString('hex'),
  ...{ policy_version: known.facts.policyVersion, sampling: known.sampling },
});
