import { Inject, Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { SETTINGS, type Settings } from '../../../../common/config/settings.js';
import { isStorableText } from '../../../../common/http/headers.js';
import { IdempotencyStore } from '../../../../common/idempotency/idempotency.store.js';
import { Metrics } from '../../../../common/observability/metrics.js';
import { argumentsDigest } from '../../../../common/call-policy/call-arguments.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { DecisionsService } from '../decisions/decisions.service.js';
import { PlainDecisionsService } from '../decisions/plain-decisions.service.js';
import type { DigestedCall } from '../shield.types.js';
import { ToolAdmissionsStore } from './tool-admissions.store.js';
import type { ToolAdmission, ToolCallToAdmit } from './tool-admissions.types.js';
import { RateWindowExceeded } from './tool-calls.problems.js';

/**
 * Facts may change under a call that is being decided on; after so many times it is decided in a unit of work, which
 * reads them itself.
 */
const MAX_TRIES = 3;

/**
 * Stands before every tool call: counts it in its minute and decides on it. What is plainly allowed by remembered facts
 * costs one round trip, in which the database makes sure that they still stand; everything else is decided in a unit of
 * work of its own.
 */
@Injectable()
export class ToolAdmissionsService {
  private readonly admissions: Counter<'by'>;

  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: ToolAdmissionsStore,
    private readonly plain: PlainDecisionsService,
    private readonly decisions: DecisionsService,
    private readonly answers: IdempotencyStore,
    @Inject(SETTINGS) private readonly settings: Settings,
    metrics: Metrics,
  ) {
    this.admissions = metrics.counter(
      'svc_tool_admissions_total',
      'Tool calls that were let through, by what decided.',
      ['by'],
    );
  }

  /**
   * Count, decision and event are committed when it resolves; a refusal is when it rejects. A call over the limit
   * leaves no decision.
   * @throws RateWindowExceeded, ShieldDenied, ShieldApprovalRequired
   */
  async admit(asked: ToolCallToAdmit): Promise<ToolAdmission> {
    const call = digestedCallOf(asked);
    const quick = asked.approvalToken === undefined ? await this.admitByKnownFacts(call, asked) : NOT_COUNTED;
    if (quick.decisionId !== undefined) return { decisionId: quick.decisionId };
    if (!quick.isCounted) await this.count(call);
    return { decisionId: await this.decideInFull(call, asked) };
  }

  private async admitByKnownFacts(call: DigestedCall, { spendsCredits = 0 }: ToolCallToAdmit): Promise<Quick> {
    const remembered = this.plain.remembered(call);
    let known = remembered ?? (await this.plain.ask(call));
    let isCounted = false;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const decision = this.plain.decide(call, known, spendsCredits);
      if (!decision) break;
      const { state, wait } = await this.store.admit({ call, decision, limit: this.limit, isCounted });
      if (state === 'limited') throw this.exceeded(wait);
      if (state === 'admitted') {
        this.admissions.inc({ by: known === remembered ? 'remembered facts' : 'facts asked for' });
        return { decisionId: decision.row.decision_id, isCounted: true };
      }
      isCounted = true;
      known = await this.plain.ask(call);
    }
    return { isCounted };
  }

  private async decideInFull(call: DigestedCall, asked: ToolCallToAdmit): Promise<string | undefined> {
    const { spendsCredits = 0, caller, usesApprovalNow } = asked;
    const isAnswered = () => this.isAnswered(asked);
    const decisionId = await this.tenancy.run(caller.tenantId, () =>
      this.decisions.decideAhead({ call, spendsCredits, usesApprovalNow, isAnswered }),
    );
    this.admissions.inc({ by: decisionId === undefined ? 'stored answer' : 'unit of work' });
    return decisionId;
  }

  /** Whether the call had its effect already: the API repeats the answer and asks the shield no more. */
  private async isAnswered({ caller, effect }: ToolCallToAdmit): Promise<boolean> {
    if (!effect) return false;
    const { method, path } = effect;
    const key = await effect.idempotencyKey();
    if (!isStorableText(key)) return false;
    return (await this.answers.find({ principal: caller.principal, method, path, key })) !== undefined;
  }

  private async count(call: DigestedCall): Promise<void> {
    if (this.limit === 0) return;
    const wait = await this.store.count(call, this.limit);
    if (wait > 0) throw this.exceeded(wait);
  }

  private get limit(): number {
    return this.settings.tools.rateLimit;
  }

  private exceeded(retryAfterSec: number): RateWindowExceeded {
    const message = `A principal may make ${this.limit} tool calls a minute; the next minute begins in ${retryAfterSec} s`;
    return new RateWindowExceeded({ retryAfterSec, limit: this.limit }, message);
  }
}

interface Quick {
  decisionId?: string;
  isCounted: boolean;
}
const NOT_COUNTED: Quick = { isCounted: false };

const digestedCallOf = (asked: ToolCallToAdmit): DigestedCall => ({
  caller: asked.caller,
  action: asked.tool,
  route: asked.route,
  isRead: asked.isRead,
  arguments: asked.arguments,
  argumentsDigest: argumentsDigest(asked.arguments),
  approvalToken: asked.approvalToken,
  toolDigest: asked.toolDigest,
  serverId: asked.serverId,
});
