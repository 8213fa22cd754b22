import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { ReceiptsService } from '../../evidence/receipts/receipts.service.js';
import { TimelineReadsService } from '../../governance/incidents/timeline/timeline-reads.service.js';
import type { TimelineSource } from '../../governance/incidents/timeline/timeline.types.js';
import { findingsOfTriage, sumOf, type InvalidReceipt } from './audit-triage.rules.js';
import { AuditTriageStore } from './audit-triage.store.js';
import { counted, judge } from './judgement.rules.js';
import { findingsOfTimeline } from './timeline-findings.rules.js';
import type { AuditTriage, ReasoningQuery, ReasoningTimeline, TriageQuery } from './timelines.dto.js';

const DAY_MS = 86_400_000;

/** What was written down of what somebody did; events and facts have routes of their own. */
const REASONING: readonly TimelineSource[] = ['receipt', 'step', 'decision', 'approval', 'gate'];

interface Window {
  from: Date;
  to: Date;
}

/** What receipts, steps and refusals say: in the order of time, or by what went wrong. */
@Injectable()
export class AuditReadsService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly timelines: TimelineReadsService,
    private readonly receipts: ReceiptsService,
    private readonly store: AuditTriageStore,
  ) {}

  /** @throws ValidationFailed */
  async timeline(caller: DaemonCaller, query: ReasoningQuery): Promise<ReasoningTimeline> {
    const { from, to } = windowOf(query);
    const { session_id: session, actor, limit, cursor } = query;
    const named = {
      ...{ windowFrom: from, windowTo: to, entities: [] },
      ...{ sessionIds: session === undefined ? [] : [session], agentIds: actor === undefined ? [] : [actor] },
    };
    const page = await this.timelines.read(caller, named, { sources: REASONING, limit, cursor });
    return {
      schema: 'svc.workbench.reasoning-timeline/1',
      from: from.toISOString(),
      to: to.toISOString(),
      ...{ entries: page.entries, count: page.entries.length, next_cursor: page.next_cursor },
      ...judge(findingsOfTimeline(page.entries), counted(page.entries.length, 'entry', 'entries')),
    };
  }

  /** @throws ValidationFailed */
  async triage(caller: DaemonCaller, query: TriageQuery): Promise<AuditTriage> {
    const { from, to } = windowOf(query);
    const reader = { seesAll: caller.isAdmin, principal: caller.principal };
    const groups = await this.tenants.run(caller, undefined, () => this.store.list(from, to, reader));
    const { matched, verified, invalid: broken } = await this.verify(caller, query.verify);
    const counts = {
      ...{ receipts: matched, verified, invalid: broken.length, failed_steps: sumOf(groups, 'step') },
      denied_calls: sumOf(groups, 'decision', 'deny'),
      held_calls: sumOf(groups, 'decision', 'approval_required'),
      refused_deletions: sumOf(groups, 'hold'),
      refused_gates: sumOf(groups, 'gate'),
      open_incidents: sumOf(groups, 'incident'),
    };
    const found = findingsOfTriage(groups, broken);
    return {
      schema: 'svc.workbench.audit-triage/1',
      from: from.toISOString(),
      to: to.toISOString(),
      counts,
      ...judge(found, `${counted(found.length, 'finding')}; ${verified - broken.length} of ${verified} receipts hold`),
    };
  }

  private async verify(caller: DaemonCaller, most: number) {
    const tenantId = await this.tenants.enter(caller);
    const { rows, matched } = await this.receipts.list(caller, { limit: Math.max(1, most) });
    const broken: InvalidReceipt[] = [];
    const looked = rows.slice(0, most);
    for (const { receipt_id: receiptId } of looked) {
      const report = await this.receipts.verify(caller, tenantId, receiptId);
      if (!report.verified) broken.push({ receiptId, error: report.error_code });
    }
    return { matched, verified: looked.length, invalid: broken };
  }
}

/** @throws ValidationFailed where it ends before it begins */
function windowOf(query: { from?: string; to?: string }): Window {
  const to = query.to === undefined ? new Date() : new Date(query.to);
  const from = query.from === undefined ? new Date(to.getTime() - DAY_MS) : new Date(query.from);
  if (from <= to) return { from, to };
  throw invalid('query.from', 'is after to; name a time before it, or leave it out');
}
