import 'reflect-metadata';
import { Module, type DynamicModule, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EvidenceModule } from '../common/evidence-log/evidence-log.module.js';
import { HoldRefusalsModule } from '../common/legal-holds/hold-refusals.module.js';
import { NestLog } from '../common/observability/log.js';
import type { ProcessContext } from '../common/process-context.js';
import { TenantSettingServicesModule } from '../modules/access/tenant-settings/tenant-setting-services.module.js';
import { TenantsModule } from '../modules/access/tenants/tenants.module.js';
import { FEEDBACK_SERVICES } from '../modules/continuity/feedback/feedback.module.js';
import { SettlementModule } from '../modules/economy/ledger/settlement.module.js';
import { PeerLogServicesModule } from '../modules/evidence/peer-logs/peer-log-services.module.js';
import { PeerServicesModule } from '../modules/memory/peers/peer-services.module.js';
import { SyncExchangeServicesModule } from '../modules/memory/sync-exchange/sync-exchange-services.module.js';
import { PackServicesModule } from '../modules/memory/packs/pack-services.module.js';
import { PassportServicesModule } from '../modules/operations/passports/passport-services.module.js';
import { ProjectWritesModule } from '../modules/projects/projects/project-writes.module.js';
import { CoreModule } from './core.module.js';

/** What an operator does in a tenant from the command line, by the services of the API. */
@Module({})
class OperatorModule {
  static of(parts: ProcessContext): DynamicModule {
    return {
      module: OperatorModule,
      imports: [
        CoreModule.withoutRequests(parts),
        EvidenceModule,
        HoldRefusalsModule,
        SettlementModule,
        TenantsModule,
        TenantSettingServicesModule,
        PackServicesModule,
        PeerLogServicesModule,
        PeerServicesModule,
        SyncExchangeServicesModule,
        PassportServicesModule,
        ProjectWritesModule,
      ],
      providers: FEEDBACK_SERVICES,
    };
  }
}

/** Opens it for the length of a command: with events and receipts as the servers make them, and no listener. */
export const openOperator = (parts: ProcessContext): Promise<INestApplicationContext> =>
  NestFactory.createApplicationContext(OperatorModule.of(parts), {
    logger: new NestLog(parts.log),
    abortOnError: false,
  });
