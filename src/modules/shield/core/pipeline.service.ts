import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { Listener } from '../../../common/database/listener.js';
import { TtlCache } from '../../../common/database/ttl-cache.js';
import { type PlainDecision, ShieldPipeline, type ShieldCall } from '../../../common/call-policy/shield-pipeline.js';
import { argumentsDigest } from '../../../common/call-policy/call-arguments.js';
import { isAlwaysOpen } from '../../../common/call-policy/shield-call.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { mayStopRead } from './decisions/decision.rules.js';
import { DecisionsService, type Admission } from './decisions/decisions.service.js';
import { PlainDecisionsService } from './decisions/plain-decisions.service.js';
import { KillSwitchesStore, type ReadSwitch } from './kill-switches/kill-switches.store.js';

/**
 * The shield in front of every call. Mutations are decided in the database, in the transaction of their effect. Reads
 * are let through from memory; one that a switch may stop, or that names a server or a tool definition, is decided in a
 * transaction of its own first.
 */
@Injectable()
export class PipelineService extends ShieldPipeline {
  private readonly current = new AsyncLocalStorage<Admission>();
  private readonly readSwitches: TtlCache<ReadSwitch[]>;

  constructor(
    private readonly tenancy: Tenancy,
    listener: Listener,
    private readonly decisions: DecisionsService,
    private readonly plain: PlainDecisionsService,
    private readonly switches: KillSwitchesStore,
  ) {
    super();
    this.readSwitches = new TtlCache(listener, 'svc_shield_changed', (tenant, _, name) => name === tenant);
  }

  async run<T>(call: ShieldCall, effect: () => Promise<T>): Promise<T> {
    const admission = await this.decisions.decide(call);
    return this.current.run(admission, effect);
  }

  async decidePlainly(asked: ShieldCall): Promise<PlainDecision | undefined> {
    if (asked.approvalToken !== undefined || asked.decided) return undefined;
    const call = { ...asked, argumentsDigest: argumentsDigest(asked.arguments) };
    const known = this.plain.remembered(call) ?? (await this.plain.ask(call));
    // An approval of an equal call would be used up.
    return known.facts.hasApproved ? undefined : this.plain.decide(call, known);
  }

  recordPlain(decisions: readonly PlainDecision[]): Promise<boolean[]> {
    return this.plain.record(decisions);
  }

  async admitSpending(credits: number): Promise<void> {
    const admission = this.current.getStore();
    if (admission) await this.decisions.decideOnSpending(admission, credits);
  }

  admitRead(call: ShieldCall): Promise<void> | undefined {
    if (isAlwaysOpen(call.action)) return undefined;
    if (call.serverId !== undefined || call.toolDigest !== undefined) return this.decideOnRead(call);
    const known = this.readSwitches.get(call.caller.tenantId);
    if (!known) return this.askAboutRead(call);
    return known.some((one) => standsInTheWay(one, call)) ? this.decideOnRead(call) : undefined;
  }

  private async askAboutRead(call: ShieldCall): Promise<void> {
    const { tenantId } = call.caller;
    const found = (await this.readSwitches.ask(tenantId, () => this.switches.findReadSwitches(tenantId))) ?? [];
    if (found.some((one) => standsInTheWay(one, call))) await this.decideOnRead(call);
  }

  /** The decision is committed before the read begins. */
  private async decideOnRead(call: ShieldCall): Promise<void> {
    await this.tenancy.run(call.caller.tenantId, () => this.decisions.decide(call));
  }
}

/** One that has expired since is in nobody's way: the database, by whose clock it expires, says so. */
const standsInTheWay = (one: ReadSwitch, { action, serverId, caller }: ShieldCall): boolean =>
  mayStopRead(one, { action, serverId, isRead: true, principal: caller.principal });
