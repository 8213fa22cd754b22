import { Injectable } from '@nestjs/common';
import type { PlainDecision } from '../../../../common/call-policy/shield-pipeline.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import type { DigestedCall, ShieldFacts } from '../shield.types.js';

/** What decisions on a principal's calls by way of one server and definition rest on. */
export interface RememberedFacts {
  facts: ShieldFacts;
  /** Of the sampling policies: their changes leave the policy version alone. */
  sampling: string | null;
}

/** Facts that are remembered, and the decisions made by them. */
@Injectable()
export class PlainDecisionsStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** One round trip outside of a unit of work. */
  async readFacts({ caller, serverId, toolDigest }: DigestedCall): Promise<RememberedFacts> {
    const [row] = await this.tenancy.call<RememberedFacts>(
      'select facts, sampling from svc_tool_call_facts($1, $2, $3, $4)',
      [caller.tenantId, caller.principal, serverId ?? null, toolDigest ?? null],
    );
    if (!row) throw new Error('the facts of a call were not read');
    return row;
  }

  /**
   * Decisions of one principal, in the open unit of work. They count in no window: their limit is 0.
   * @returns of each whether what it rests on still stands, and it was recorded
   */
  async record(principal: string, decisions: readonly PlainDecision[]): Promise<boolean[]> {
    const [row] = await this.tenancy.query<{ states: string[] }>(
      'call svc_admit_tool_calls($1, $2, 0, $3, null, null)',
      [this.tenancy.tenant, principal, JSON.stringify(decisions.map(({ row }) => ({ ...row, is_counted: true })))],
    );
    if (row?.states.length !== decisions.length) throw new Error('a decision was not recorded');
    return row.states.map((state) => state === 'admitted');
  }
}
