import { Module } from '@nestjs/common';
import { PeerLogServicesModule } from '../../evidence/peer-logs/peer-log-services.module.js';
import { PeerServicesModule } from '../peers/peer-services.module.js';
import { SyncServicesModule } from '../sync/sync-services.module.js';
import { ExchangeLogs } from './exchange-logs.service.js';
import { ExchangeProgressStore } from './exchange-progress.store.js';
import { SyncExchangeService } from './sync-exchange.service.js';

/** Exchanges with peers; for the daemon, which does them on time, and for `svc sync`. */
@Module({
  imports: [SyncServicesModule, PeerServicesModule, PeerLogServicesModule],
  providers: [SyncExchangeService, ExchangeProgressStore, ExchangeLogs],
  exports: [SyncExchangeService, ExchangeProgressStore, SyncServicesModule],
})
export class SyncExchangeServicesModule {}
