import { Injectable } from '@nestjs/common';
import { digestBytes } from '../../../../evidence/digest.js';
import { sha256 } from '../../../../evidence/sha256.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import type { DigestedCall, Outcome, ShieldFacts } from '../shield.types.js';

export interface NewDecision {
  decisionId: string;
  call: DigestedCall;
  outcome: Outcome;
  rule: string;
  denialType?: string;
  reason?: string;
  policyVersion: number;
  approvalRequestId?: string;
  sampledBy: string[];
}

export interface DecisionRow {
  decision_id: string;
  decided_at: Date;
  principal: string;
  auth_type: string;
  action: string;
  server_id: string | null;
  tool_digest: string | null;
  arguments_digest: Buffer;
  outcome: Outcome;
  rule: string;
  denial_type: string | null;
  reason: string | null;
  policy_version: number;
  approval_request_id: string | null;
  sampled_by: string[];
}

export interface DecisionFilter {
  outcome?: Outcome;
  action?: string;
  principal?: string;
  sampled?: boolean;
}

/** What a decision rests on, in one statement; the decision itself, in another. */
@Injectable()
export class DecisionsStore {
  constructor(private readonly tenancy: Tenancy) {}

  async readFacts(call: DigestedCall): Promise<ShieldFacts> {
    const [row] = await this.tenancy.query<{ facts: ShieldFacts }>(
      'select svc_shield_facts($1, $2, $3, $4, $5) as facts',
      [
        this.tenancy.tenant,
        call.caller.principal,
        call.serverId ?? null,
        call.toolDigest ?? null,
        call.approvalToken === undefined ? null : sha256(call.approvalToken),
      ],
    );
    if (!row) throw new Error('the facts of a decision were not read');
    return row.facts;
  }

  /**
   * The decision; with an approval it is recorded, and the approval used up, only as long as nobody else used it.
   * @returns whether it was recorded
   */
  async record(decision: NewDecision, { usesApproval = false } = {}): Promise<boolean> {
    const rows = await this.tenancy.query(
      usesApproval ? `with used as (${use('$14')}) ${RECORD} from used returning 1` : `${RECORD} returning 1`,
      [
        this.tenancy.tenant,
        decision.decisionId,
        decision.call.caller.principal,
        decision.call.caller.authType,
        decision.call.action,
        decision.call.serverId ?? null,
        decision.call.toolDigest ?? null,
        digestBytes('sha256', decision.call.argumentsDigest),
        decision.outcome,
        decision.rule,
        decision.denialType ?? null,
        decision.reason ?? null,
        decision.policyVersion,
        decision.approvalRequestId ?? null,
        decision.sampledBy,
      ],
    );
    return rows.length === 1;
  }

  /** Uses an approval up for a decision that was recorded before. @returns whether nobody else had used it */
  async useApproval(decisionId: string, approvalRequestId: string): Promise<boolean> {
    const rows = await this.tenancy.query(use('$3'), [this.tenancy.tenant, decisionId, approvalRequestId]);
    return rows.length === 1;
  }

  /** Newest first. */
  list(filter: DecisionFilter, after: string | undefined, limit: number): Promise<DecisionRow[]> {
    const sampled =
      filter.sampled === undefined ? '' : filter.sampled ? `and sampled_by <> '{}'` : `and sampled_by = '{}'`;
    return this.tenancy.query<DecisionRow>(
      `select decision_id, decided_at, principal, auth_type, action, server_id, tool_digest, arguments_digest, outcome, rule, denial_type,
         reason, policy_version, approval_request_id, sampled_by
       from shield_decision
       where tenant_id = $1 and ($2::text is null or outcome = $2) and ($3::text is null or action = $3)
         and ($4::text is null or principal = $4) and ($5::uuid is null or decision_id < $5) ${sampled}
       order by decision_id desc limit $6`,
      [
        this.tenancy.tenant,
        filter.outcome ?? null,
        filter.action ?? null,
        filter.principal ?? null,
        after ?? null,
        limit,
      ],
    );
  }
}

/** A second use waits here for the first to commit, and then finds nothing. */
const use = (
  approvalRequestId: string,
) => `update shield_approval set state = 'used', used_at = clock_timestamp(), used_decision_id = $2
  where tenant_id = $1 and approval_request_id = ${approvalRequestId} and state = 'approved' and expires_at > statement_timestamp() returning 1`;

const RECORD = `insert into shield_decision (tenant_id, decision_id, principal, auth_type, action, server_id, tool_digest, arguments_digest, outcome,
    rule, denial_type, reason, policy_version, approval_request_id, sampled_by)
  select $1::text, $2::uuid, $3::text, $4::text, $5::text, $6::text, $7::text, $8::bytea, $9::text, $10::text, $11::text, $12::text, $13::integer,
    $14::uuid, $15::uuid[]`;
