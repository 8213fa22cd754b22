import { Module } from '@nestjs/common';
import { LeasesModule } from '../leases/leases.module.js';
import { ClaimsModule } from './claims/claims.module.js';
import { BlockersService } from './blockers.service.js';
import { BlockersStore } from './blockers.store.js';
import { GatePoliciesService } from './gates/gate-policies.service.js';
import { GateRequestsService } from './gates/gate-requests.service.js';
import { GateSweep } from './gates/gate-sweep.js';
import { GatesController } from './gates/gates.controller.js';
import { GatesService } from './gates/gates.service.js';
import { GatesStore } from './gates/gates.store.js';
import { PlansService } from './plans/plans.service.js';
import { WorkLinksService } from './work-links.service.js';
import { WorkListService } from './work-list.service.js';
import { WorkListStore } from './work-list.store.js';
import { WorkMovesService } from './work-moves.service.js';
import { WorkOutlookService } from './work-outlook.service.js';
import { WorkRecordsController } from './work-records.controller.js';
import { WorkRecordsService } from './work-records.service.js';
import { WorkController } from './work.controller.js';
import { WorkService } from './work.service.js';
import { WorkStore } from './work.store.js';

/**
 * The work board: items, how they move, what blocks them, what is said of them; gates, where a move waits for
 * somebody's approval; and a view of plan files. Every change of an item goes through WorkMovesService.
 */
@Module({
  imports: [LeasesModule, ClaimsModule],
  controllers: [GatesController, WorkRecordsController, WorkController],
  providers: [
    ...[WorkStore, WorkMovesService, WorkService, WorkListStore, WorkListService, WorkLinksService, WorkRecordsService],
    ...[BlockersStore, BlockersService, PlansService, WorkOutlookService],
    ...[GatesStore, GatesService, GateRequestsService, GatePoliciesService, GateSweep],
  ],
  exports: [WorkLinksService, WorkListService, WorkMovesService, WorkOutlookService],
})
export class WorkModule {}
