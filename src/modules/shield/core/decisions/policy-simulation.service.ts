import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DeclaredSystems } from '../../../../common/contract/declared-systems.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { FlipCollector, PolicyReplay, withProposed } from './policy-simulation.rules.js';
import { PolicySimulationStore } from './policy-simulation.store.js';
import type { ActionKind, ProposedPolicy, RecordedDecision, Simulation } from './policy-simulation.types.js';

/** Decisions of one statement, and those that are decided on before others have their turn. */
const PAGE = 5_000;
const TURN = 2_000;

/**
 * Replays recorded decisions as the shield would decide them now under another policy. The rules are the shield's own,
 * and nothing is written.
 */
@Injectable()
export class PolicySimulationService {
  private kinds: Promise<ReadonlyMap<string, ActionKind>> | undefined;

  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: PolicySimulationStore,
    private readonly systems: DeclaredSystems,
  ) {}

  /** @param last how many decisions, at most MAX_REPLAYED, the newest */
  async simulate(tenantId: string, proposed: ProposedPolicy, last: number): Promise<Simulation> {
    const kinds = await (this.kinds ??= this.readKinds());
    const unknown = new Set<string>();
    const kindOf = (action: string): ActionKind => {
      const known = kinds.get(action);
      if (!known) unknown.add(action);
      return known ?? { isRead: false };
    };
    const standing = await this.tenancy.run(tenantId, () => this.store.readStanding());
    const decisions = await this.read(tenantId, last);
    const present = new PolicyReplay(standing, kindOf);
    const future = new PolicyReplay(withProposed(standing, proposed), kindOf);
    const collector = new FlipCollector();
    for (const [place, decision] of decisions.entries()) {
      if (place % TURN === TURN - 1) await nextTurn();
      collector.add(decision, present.decide(decision), future.decide(decision));
    }
    return {
      ...collector.result(),
      replayed: decisions.length,
      from: decisions[0]?.decidedAt,
      to: decisions.at(-1)?.decidedAt,
      unknownActions: [...unknown].sort(),
      policyVersion: standing.policyVersion,
    };
  }

  /** The oldest first. */
  private async read(tenantId: string, last: number): Promise<RecordedDecision[]> {
    const found: RecordedDecision[] = [];
    while (found.length < last) {
      const take = Math.min(PAGE, last - found.length);
      const before = found.at(-1)?.decisionId;
      const page = await this.tenancy.run(tenantId, () => this.store.listBefore(before, take));
      found.push(...page);
      if (page.length < take) break;
    }
    return found.reverse();
  }

  /** Of every route of the tenant API by its address, and every tool of the tool service by its name. */
  private async readKinds(): Promise<ReadonlyMap<string, ActionKind>> {
    const systems = (await this.systems.read()).filter(({ name }) => name !== 'svc-daemon');
    const routes = systems.flatMap(({ modules }) => modules.flatMap((module) => module.routes));
    const tools = systems.flatMap((system) => system.tools);
    return new Map<string, ActionKind>([
      ...routes.map(({ address, idempotent }) => [address, { isRead: !idempotent }] as const),
      ...tools.map(({ name, routes: [route], isRead }) => [name, { route, isRead }] as const),
    ]);
  }
}
