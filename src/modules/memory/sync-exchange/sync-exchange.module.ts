import { Module } from '@nestjs/common';
import { ScheduledExchanges } from './scheduled-exchanges.service.js';
import { SyncExchangeServicesModule } from './sync-exchange-services.module.js';

/** What the daemon itself does with peers: it exchanges memory on time (docs/sync.md). */
@Module({ imports: [SyncExchangeServicesModule], providers: [ScheduledExchanges] })
export class SyncExchangeModule {}
