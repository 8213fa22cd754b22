import { Module } from '@nestjs/common';
import { SeatBillingModule } from '../seats/seat-billing.module.js';
import { KeptTenants } from './kept-tenants.service.js';
import { RecordErasureService } from './record-erasure.service.js';
import { TenantErasureService } from './tenant-erasure.service.js';
import { TenantJournal } from './tenant-journal.service.js';
import { TenantStatesStore } from './tenant-states.store.js';
import { TenantsService } from './tenants.service.js';

/** What an operator does with tenants, by `svc tenant`: their tier, their suspension, their deletion and its end. */
@Module({
  imports: [SeatBillingModule],
  providers: [
    TenantsService,
    TenantErasureService,
    RecordErasureService,
    KeptTenants,
    TenantJournal,
    TenantStatesStore,
  ],
  exports: [TenantsService, TenantErasureService, KeptTenants],
})
export class TenantsModule {}
