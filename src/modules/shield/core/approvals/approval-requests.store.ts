import { Injectable } from '@nestjs/common';
import { canonicalJson } from '../../../../evidence/canonical-json.js';
import { digestBytes } from '../../../../evidence/digest.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import type { DigestedCall, PresentedApproval } from '../shield.types.js';
import { APPROVAL_SECONDS, SHOWN_ARGUMENTS_BYTES } from './approval.rules.js';

export interface NewRequest {
  approvalRequestId: string;
  call: DigestedCall;
  policyVersion: number;
  decisionId?: string;
  reason: string;
  spendCredits?: number;
  drillId?: string;
}

/** Requests of equal calls of one principal, under one version of the policy: $1 to $7. */
const OF_EQUAL_CALLS = `tenant_id = $1 and principal = $2 and action = $3 and coalesce(server_id, '') = $4
  and coalesce(tool_digest, '') = $5 and arguments_digest = $6 and policy_version = $7`;

/** Makes approval requests, one for equal calls as long as it is pending, and finds those that were approved. */
@Injectable()
export class ApprovalRequestsStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** @returns the id of the request that is pending now */
  async findOrMake(request: NewRequest): Promise<string> {
    for (let tries = 0; tries < 3; tries += 1) {
      const found = (await this.findPending(request)) ?? (await this.make(request));
      if (found) return found;
    }
    throw new Error('equal approval requests come and go faster than one can be found');
  }

  /** The approval that stands of an equal call: of several, the one that may spend most. */
  async findApproved(call: DigestedCall, policyVersion: number): Promise<PresentedApproval | null> {
    const [approval] = await this.tenancy.query<Omit<PresentedApproval, keyof EqualCall>>(
      `select approval_request_id as "approvalRequestId", state, spend_credits::float8 as "spendCredits", end_reason as "endReason"
       from shield_approval where ${OF_EQUAL_CALLS} and state = 'approved' and expires_at > statement_timestamp()
       order by spend_credits desc nulls last, approval_request_id limit 1`,
      this.equalTo(call, policyVersion),
    );
    const { action, argumentsDigest, serverId = null, toolDigest = null } = call;
    const equal = { principal: call.caller.principal, action, argumentsDigest, serverId, toolDigest, policyVersion };
    return approval ? { ...approval, ...equal } : null;
  }

  /** Ends the equal one whose time is over, so that it is not in the way of a new one. */
  private async findPending(request: NewRequest): Promise<string | undefined> {
    const rows = await this.tenancy.query<{ approval_request_id: string; is_over: boolean }>(
      `select approval_request_id, expires_at <= clock_timestamp() as is_over from shield_approval
       where ${OF_EQUAL_CALLS} and coalesce(spend_credits, 0) = $8 and state = 'pending' for update`,
      this.keyOf(request),
    );
    const [row] = rows;
    if (!row?.is_over) return row?.approval_request_id;
    await this.tenancy.query(
      `update shield_approval set state = 'expired', ended_at = expires_at where tenant_id = $1 and approval_request_id = $2`,
      [this.tenancy.tenant, row.approval_request_id],
    );
    return undefined;
  }

  /** Undefined when an equal one was made at the same moment. */
  private async make(request: NewRequest): Promise<string | undefined> {
    const { arguments: given, decided } = request.call;
    const text = given === undefined ? undefined : Buffer.from(canonicalJson(given));
    const bytes = text?.length ?? decided?.argumentsBytes ?? 0;
    const [row] = await this.tenancy.query<{ approval_request_id: string }>(
      `insert into shield_approval (tenant_id, principal, action, server_id, tool_digest, arguments_digest, policy_version, spend_credits,
         approval_request_id, state, arguments, arguments_bytes, decision_id, reason, drill_id, expires_at)
       values ($1, $2, $3, nullif($4, ''), nullif($5, ''), $6, $7, nullif($8::bigint, 0), $9, 'pending', $10, $11, $12, $13, $14,
         clock_timestamp() + $15 * interval '1 second')
       on conflict do nothing returning approval_request_id`,
      [
        ...this.keyOf(request),
        request.approvalRequestId,
        !text || bytes > SHOWN_ARGUMENTS_BYTES ? null : text.toString('utf8'),
        bytes,
        request.decisionId ?? null,
        request.reason,
        request.drillId ?? null,
        APPROVAL_SECONDS,
      ],
    );
    return row?.approval_request_id;
  }

  private keyOf({ call, policyVersion, spendCredits = 0 }: NewRequest): unknown[] {
    return [...this.equalTo(call, policyVersion), spendCredits];
  }

  /** The parameters of OF_EQUAL_CALLS. */
  private equalTo(call: DigestedCall, policyVersion: number): unknown[] {
    return [
      this.tenancy.tenant,
      call.caller.principal,
      call.action,
      call.serverId ?? '',
      call.toolDigest ?? '',
      digestBytes('sha256', call.argumentsDigest),
      policyVersion,
    ];
  }
}

type EqualCall = Pick<
  PresentedApproval,
  'principal' | 'action' | 'argumentsDigest' | 'serverId' | 'toolDigest' | 'policyVersion'
>;
