import { Module } from '@nestjs/common';
import { LeasesModule } from '../../leases/leases.module.js';
import { ClaimsController } from './claims.controller.js';
import { ClaimsService } from './claims.service.js';
import { ClaimsStore } from './claims.store.js';
import { GroupedLeasesService } from './grouped-leases.service.js';
import { LeaseSweep } from './lease-sweep.js';
import { WorkLeasesService } from './work-leases.service.js';

/** Claims of work items under leases, and the sweep of all leases whose time is over. */
@Module({
  imports: [LeasesModule],
  controllers: [ClaimsController],
  providers: [ClaimsService, ClaimsStore, GroupedLeasesService, WorkLeasesService, LeaseSweep],
  exports: [WorkLeasesService],
})
export class ClaimsModule {}
