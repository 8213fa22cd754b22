import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DueWork, FALLBACK_MS } from '../../../common/scheduler/due-work.js';
import { Scheduler } from '../../../common/scheduler/scheduler.js';
import { CrossTenant } from '../../../common/tenancy/cross-tenant.js';
import { PeerExchange } from './peer-exchange.service.js';
import { isLookDue, PeerLogsStore } from './peer-logs.store.js';

const EVERY_MS = 10_000;
/** Peers that are asked at once: one that does not answer keeps few waiting. */
const BATCH = 8;

/**
 * Asks now and then every peer whose address was pinned for its log. One that was set back, and does not grow since,
 * sends nothing by which that would be seen.
 */
@Injectable()
export class PeerWatch implements OnApplicationBootstrap {
  constructor(
    private readonly scheduler: Scheduler,
    private readonly dueWork: DueWork,
    private readonly crossTenant: CrossTenant,
    private readonly exchange: PeerExchange,
  ) {}

  onApplicationBootstrap(): void {
    const work = this.scheduler.every('peer_log_looks', FALLBACK_MS, () => this.look());
    this.dueWork.when(
      () => `exists (select from peer_log l where ${isLookDue('l')})`,
      () => work.wake(),
      { everyMs: EVERY_MS },
    );
  }

  private async look(): Promise<void> {
    for (let taken = BATCH; taken === BATCH;) {
      const logs = await this.crossTenant.run('watch peer log', (query) => new PeerLogsStore(query).takeTurns(BATCH));
      await Promise.all(logs.map((log) => this.exchange.lookAt(log)));
      taken = logs.length;
    }
  }
}
