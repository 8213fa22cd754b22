import { Injectable } from '@nestjs/common';
import type { PlainDecision } from '../../../../common/call-policy/shield-pipeline.js';
import { RequestGroups } from '../../../../common/tenancy/request-groups.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import type { DigestedCall } from '../shield.types.js';

/** A call that may go on, as long as what that rests on is what stands. */
export interface AllowedToolCall {
  call: DigestedCall;
  decision: PlainDecision;
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
const MAX_TOGETHER = 64;

/** Windows and decisions of tool calls, each method one round trip outside of a unit of work. */
@Injectable()
export class ToolAdmissionsStore {
  private readonly group = new RequestGroups<AllowedToolCall, Admitted>({
    take: ({ length }) => Math.min(length, MAX_TOGETHER),
    run: async (calls) => (calls.length > 1 ? this.admitTogether(calls) : [await this.admitAlone(calls[0]!)]),
    waitsForNone: true,
  });

  constructor(private readonly tenancy: Tenancy) {}

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

  private async admitAlone({ call, decision: { row }, limit, isCounted }: AllowedToolCall): Promise<Admitted> {
    const [admitted] = await this.tenancy.write<Admitted>(
      `call svc_admit_tool_call($1, $2, $3, $4, $5, $6, $7, $8, $9, decode($10, 'hex'), $11, $12, $13, null, null)`,
      [
        call.caller.tenantId,
        call.caller.principal,
        row.auth_type,
        limit,
        isCounted,
        row.decision_id,
        row.action,
        row.server_id,
        row.tool_digest,
        row.arguments_digest,
        row.policy_version,
        row.sampling,
        row.sampled_by,
      ],
    );
    if (!admitted) throw new Error('a tool call was not decided on');
    return admitted;
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

const rowOf = ({ decision, isCounted }: AllowedToolCall) => ({ ...decision.row, is_counted: isCounted });
