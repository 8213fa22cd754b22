import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { daemonCodeOf } from '../../../common/problem/daemon-problem-form.js';
import { Problem } from '../../../common/problem/problem.js';
import { heldRowOf } from '../../../common/legal-holds/held-rows.js';
import { HoldRefusals } from '../../../common/legal-holds/hold-refusals.service.js';
import { SecretScreen } from '../../../common/screening/secret-screen.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { candidateEntry } from './candidates.events.js';
import { CandidatesService } from './candidates.service.js';
import type {
  CandidateDecision,
  DecideCandidates,
  CandidateDecidedReply,
  CandidateDecisionsReply,
  CandidateDecisionResult,
  RejectCandidate,
} from './candidate-decisions.dto.js';
import { PromotionsService } from './promotions.service.js';

/** Rejections, and many decisions at once. */
@Injectable()
export class CandidateDecisionsService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly audit: AuditTrail,
    private readonly candidates: CandidatesService,
    private readonly promotions: PromotionsService,
    private readonly screen: SecretScreen,
    private readonly refusals: HoldRefusals,
  ) {}

  /** @throws CandidateUnknown, CandidateDecided, CandidateChanged */
  async reject(caller: DaemonCaller, id: string, request: RejectCandidate): Promise<CandidateDecidedReply> {
    const { text: reason } = await this.screen.mask(request.reason);
    return this.tenants.write(caller, undefined, async () => {
      const row = await this.candidates.lockPending(id, request.base_version);
      const entry = { ...candidateEntry('rejected', id, { version: row.version }), receipt: { reason } };
      const { receiptId } = await this.audit.record(caller, entry);
      const decided = { decidedBy: caller.principal, decidedAt: () => 'now()', updatedAt: () => 'now()' };
      const values = { status: 'rejected' as const, reason, version: row.version + 1, ...decided };
      await this.candidates.rows.updateMany({ candidateId: id }, values);
      return { candidate_id: id, schema: 'svc.candidate.decision/1', status: 'rejected', receipt_id: receiptId };
    });
  }

  /** Each in a transaction of its own: what is wrong with one keeps no other from being decided. */
  async decide(caller: DaemonCaller, { decisions }: DecideCandidates): Promise<CandidateDecisionsReply> {
    const results: CandidateDecisionResult[] = [];
    for (const [place, one] of decisions.entries()) results.push(await this.result(caller, one, place));
    const decided = results.filter(({ status_code }) => status_code === 200).length;
    return { schema: 'svc.candidate.decisions/1', results, decided };
  }

  private async result(caller: DaemonCaller, one: CandidateDecision, place: number): Promise<CandidateDecisionResult> {
    const { candidate_id } = one;
    try {
      const { status, receipt_id, ...more } = await this.decideOne(caller, one, place);
      const fact = 'promoted_fact_id' in more ? (more.promoted_fact_id as string | null) : null;
      return { candidate_id, status_code: 200, status, receipt_id, ...(fact ? { promoted_fact_id: fact } : {}) };
    } catch (error) {
      const { kind, message } = await this.problemOf(caller, error);
      return { candidate_id, status_code: kind.status, code: daemonCodeOf(kind), detail: message };
    }
  }

  /** What a legal hold refused is receipted, as of a request of its own. @throws what is none of the decision */
  private async problemOf(caller: DaemonCaller, error: unknown): Promise<Problem> {
    const held = heldRowOf(error);
    if (held) return this.refusals.refuse(caller, held);
    if (error instanceof Problem) return error;
    throw error;
  }

  private decideOne(caller: DaemonCaller, one: CandidateDecision, place: number): Promise<CandidateDecidedReply> {
    if (one.decision === 'promote') return this.promotions.promote(caller, one.candidate_id, one);
    const { candidate_id: id, reason, base_version } = one;
    if (reason !== undefined) return this.reject(caller, id, { reason, base_version });
    return Promise.reject(invalid(`body.decisions[${place}].reason`, 'is needed to reject: say why'));
  }
}
