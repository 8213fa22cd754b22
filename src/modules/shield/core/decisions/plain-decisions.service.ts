import { Injectable } from '@nestjs/common';
import { uuid } from '../../../../common/ids/uuid.js';
import type { PlainDecision } from '../../../../common/call-policy/shield-pipeline.js';
import { Listener } from '../../../../common/database/listener.js';
import { TtlCache } from '../../../../common/database/ttl-cache.js';
import { digestBytes } from '../../../../evidence/digest.js';
import { sampledBy } from '../sampling/sampling.rules.js';
import type { DigestedCall } from '../shield.types.js';
import { decideCall, decideSpending } from './decision.rules.js';
import { PlainDecisionsStore, type RememberedFacts } from './plain-decisions.store.js';

/**
 * Decides by the default rule alone, from remembered facts. Facts that are older than they should be cannot make a call
 * plainly allowed that is not: whoever records the decision makes sure that they still stand, and a switch that expired
 * only allows more.
 */
@Injectable()
export class PlainDecisionsService {
  private readonly known: TtlCache<RememberedFacts>;

  constructor(
    private readonly store: PlainDecisionsStore,
    listener: Listener,
  ) {
    this.known = new TtlCache(listener, 'svc_shield_changed', (tenant, _, name) => name.startsWith(ofTenant(tenant)));
  }

  remembered(call: DigestedCall): RememberedFacts | undefined {
    return this.known.get(nameOf(call));
  }

  async ask(call: DigestedCall): Promise<RememberedFacts> {
    const facts = await this.known.ask(nameOf(call), () => this.store.readFacts(call));
    if (!facts) throw new Error('the facts of a call were not read');
    return facts;
  }

  /** @returns undefined where another rule decides */
  decide(call: DigestedCall, { facts, sampling }: RememberedFacts, spendsCredits = 0): PlainDecision | undefined {
    const verdict = decideCall(call, facts);
    if (verdict.rule !== 'default') return undefined;
    if (decideSpending(call, { facts, verdict }, { credits: spendsCredits })) return undefined;
    const { action, route, caller, serverId, toolDigest } = call;
    const { principal, authType } = caller;
    const decisionId = uuid();
    const sampled = sampledBy({ decisionId, action, route, outcome: 'allow', principal }, facts.sampling);
    return {
      principal,
      row: {
        ...{ decision_id: decisionId, auth_type: authType, action, sampled_by: sampled },
        ...{ server_id: serverId, tool_digest: toolDigest },
        arguments_digest: digestBytes('sha256', call.argumentsDigest).toString('hex'),
        ...{ policy_version: facts.policyVersion, sampling },
      },
    };
  }

  /** In the open unit of work. @returns of each whether what it rests on still stands, and it was recorded */
  async record(decisions: readonly PlainDecision[]): Promise<boolean[]> {
    const recorded = new Map<PlainDecision, boolean>();
    for (const [principal, own] of Map.groupBy(decisions, (decision) => decision.principal)) {
      const states = await this.store.record(principal, own);
      for (const [place, decision] of own.entries()) recorded.set(decision, states[place]!);
    }
    return decisions.map((decision) => recorded.get(decision)!);
  }
}

const ofTenant = (tenantId: string) => `${JSON.stringify(tenantId)} `;
const nameOf = ({ caller, serverId, toolDigest }: DigestedCall): string =>
  ofTenant(caller.tenantId) + JSON.stringify([caller.principal, serverId, toolDigest]);
