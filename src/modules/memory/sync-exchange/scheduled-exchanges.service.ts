import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import type { Actor } from '../../../common/evidence-log/audit-trail.js';
import { LOG, type Log } from '../../../common/observability/log.js';
import { Scheduler } from '../../../common/scheduler/scheduler.js';
import { CrossTenant } from '../../../common/tenancy/cross-tenant.js';
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

/** Exchanges with each peer on time (SVCD_SYNC_EVERY), one after the other; of several processes one does each. */
@Injectable()
export class ScheduledExchanges implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly ending = new AbortController();

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
    if (everySec !== undefined) this.scheduler.every('tenant_sync', everySec * 1000, () => this.exchangeAll(everySec));
  }

  /** What is under way is cut off; the next one goes on there. */
  onModuleDestroy(): void {
    this.ending.abort();
  }

  private async exchangeAll(everySec: number): Promise<void> {
    const peers = await this.crossTenant.run('tenant sync', (query) => query<DuePeer>(DUE));
    for (const { tenant_id, peer_id, direction } of peers)
      for (const way of WAYS.filter((one) => direction === 'both' || direction === one))
        await this.exchangeOnce({ tenantId: tenant_id, peerId: peer_id, way }, everySec);
  }

  private async exchangeOnce(name: ExchangeName & { way: Way }, everySec: number): Promise<void> {
    if (this.ending.signal.aborted || !(await this.store.claim(name, everySec * NEARLY))) return;
    const facts = { tenant: name.tenantId, peer: name.peerId, direction: name.way };
    try {
      const { state, counts, unapplied_count } = await this.exchanges.exchange(SCHEDULE, name, {
        signal: this.ending.signal,
      });
      if (state !== 'unequal')
        this.log.info({ ...facts, state, counts, unapplied: unapplied_count }, 'memory exchanged');
      else this.log.warn({ ...facts, counts, unapplied: unapplied_count }, 'the target did not take all of the source');
    } catch (error) {
      if (!this.ending.signal.aborted)
        this.log.warn({ ...facts, reason: (error as Error).message }, 'no memory was exchanged with a peer');
    }
  }
}

/** Timers are not exact. */
const NEARLY = 0.9;

const DUE = `
  select p.tenant_id, p.peer_id, p.direction from sync_peer p join tenant t on t.tenant_id = p.tenant_id
  where p.revoked_at is null and p.url is not null and t.state = 'active' order by p.tenant_id, p.peer_id`;
