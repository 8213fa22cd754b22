import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import type { Actor } from '../../../common/evidence-log/audit-trail.js';
import { LOG, type Log } from '../../../common/observability/log.js';
import { Scheduler } from '../../../common/scheduler/scheduler.js';
import { CrossTenant } from '../../../common/tenancy/cross-tenant.js';
import { FairQueue } from '../../../common/workers/fair-queue.js';
import type { Direction } from '../peers/peers.types.js';
import { ExchangeProgressStore } from './exchange-progress.store.js';
import { type ExchangeName, type Way, WAYS } from './exchange.types.js';
import { SyncExchangeService } from './sync-exchange.service.js';

const SCHEDULE: Actor = { principal: 'sync', authType: 'internal' };

interface DuePeer {
  tenant_id: string;
  peer_id: string;
  direction: Direction;
}

/** Peers that are exchanged with at a time: more would take connections to the database from requests. */
const AT_ONCE = 4;
/** While others wait an exchange lasts for so many times as often as there is one, within bounds. */
const ROUNDS_A_TURN = 20;
const MIN_TURN_MS = 20_000;
const MAX_TURN_MS = 300_000;
/** Timers are not exact. */
const MARGIN_MS = 100;

/** An exchange that is under way. */
interface UnderWay {
  readonly since: number;
  /** Ends it, so that others have its place. */
  readonly turn: AbortController;
  readonly done: Promise<void>;
}

/**
 * Exchanges with each peer on time (SVCD_SYNC_EVERY); of several processes one does each. One that is slow or away
 * holds up no round: it is left out of the next ones until it has come to its end. Several that are hold up no other
 * either: past its turn an exchange is cut off for those that wait, tenants that have few under way first.
 */
@Injectable()
export class ScheduledExchanges implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly ending = new AbortController();
  private readonly turns = new FairQueue({ atOnce: AT_ONCE });
  private readonly waiting = new Map<string, DuePeer>();
  private readonly underWay = new Map<string, UnderWay>();

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOG) private readonly log: Log,
    private readonly scheduler: Scheduler,
    private readonly crossTenant: CrossTenant,
    private readonly store: ExchangeProgressStore,
    private readonly exchanges: SyncExchangeService,
  ) {}

  onApplicationBootstrap(): void {
    const { everySec } = this.settings.sync;
    if (everySec !== undefined) this.scheduler.every('tenant_sync', everySec * 1000, () => this.beginRound(everySec));
  }

  /** What is under way is cut off; the next one goes on there. */
  async onModuleDestroy(): Promise<void> {
    this.ending.abort();
    await Promise.all([...this.underWay.values()].map(({ done }) => done));
  }

  private async beginRound(everySec: number): Promise<void> {
    const peers = await this.crossTenant.run('tenant sync', (query) => query<DuePeer>(DUE));
    for (const peer of peers) {
      const name = `${peer.tenant_id} ${peer.peer_id}`;
      if (this.underWay.has(name)) continue;
      const isNew = !this.waiting.has(name);
      this.waiting.set(name, peer);
      if (isNew) void this.turns.run(peer.tenant_id, 0, () => this.take(name, everySec));
    }
    this.endTurns(turnMsOf(everySec));
  }

  private async take(name: string, everySec: number): Promise<void> {
    const peer = this.waiting.get(name);
    this.waiting.delete(name);
    if (!peer || this.ending.signal.aborted) return;
    const [turn, turnMs] = [new AbortController(), turnMsOf(everySec)];
    // The next round may be long after the end of the turn.
    const timer = setTimeout(() => this.endTurns(turnMs), turnMs + MARGIN_MS);
    const done = this.exchangeBothWays(peer, everySec, turn.signal).finally(() => {
      clearTimeout(timer);
      this.underWay.delete(name);
    });
    this.underWay.set(name, { since: performance.now(), turn, done });
    await done;
  }

  /** As many as there are that wait, those that last longest first. What is cut off goes on there the next time. */
  private endTurns(turnMs: number): void {
    const over = [...this.underWay.values()].filter(({ since }) => performance.now() - since > turnMs);
    for (const { turn } of over.slice(0, this.waiting.size))
      turn.abort(new Error(`It lasted for more than ${turnMs} ms while others waited; the next one goes on there`));
  }

  private async exchangeBothWays(peer: DuePeer, everySec: number, turn: AbortSignal): Promise<void> {
    const { tenant_id, peer_id, direction } = peer;
    for (const way of WAYS.filter((one) => direction === 'both' || direction === one))
      await this.exchangeOnce({ tenantId: tenant_id, peerId: peer_id, way }, everySec, turn);
  }

  private async exchangeOnce(name: ExchangeName & { way: Way }, everySec: number, turn: AbortSignal): Promise<void> {
    const facts = { tenant: name.tenantId, peer: name.peerId, direction: name.way };
    const signal = AbortSignal.any([this.ending.signal, turn]);
    try {
      if (signal.aborted || !(await this.store.claim(name, everySec * NEARLY))) return;
      const { state, counts, unapplied_count } = await this.exchanges.exchange(SCHEDULE, name, { signal });
      if (state !== 'unequal')
        this.log.info({ ...facts, state, counts, unapplied: unapplied_count }, 'memory exchanged');
      else this.log.warn({ ...facts, counts, unapplied: unapplied_count }, 'the target did not take all of the source');
    } catch (error) {
      if (!this.ending.signal.aborted)
        this.log.warn({ ...facts, reason: (error as Error).message }, 'no memory was exchanged with a peer');
    }
  }
}

/** Of the time between two rounds; timers are not exact. */
const NEARLY = 0.9;

const turnMsOf = (everySec: number): number =>
  Math.min(Math.max(everySec * 1000 * ROUNDS_A_TURN, MIN_TURN_MS), MAX_TURN_MS);

const DUE = `
  select p.tenant_id, p.peer_id, p.direction from sync_peer p join tenant t on t.tenant_id = p.tenant_id
  where p.revoked_at is null and p.url is not null and t.state = 'active' order by p.tenant_id, p.peer_id`;
