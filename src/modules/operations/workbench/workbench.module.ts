import { Module } from '@nestjs/common';
import { ScreeningModule } from '../../../common/screening/screening.module.js';
import { IntentsModule } from '../../coordination/intents/intents.module.js';
import { LeasesModule } from '../../coordination/leases/leases.module.js';
import { WorkModule } from '../../coordination/work/work.module.js';
import { ReceiptsModule } from '../../evidence/receipts/receipts.module.js';
import { IncidentsModule } from '../../governance/incidents/incidents.module.js';
import { ObserveModule } from '../../governance/observe/observe.module.js';
import { ContextModule } from '../../memory/context/context.module.js';
import { PolicySimulationModule } from '../../shield/core/decisions/policy-simulation.module.js';
import { ApiDriftService } from './api-drift.service.js';
import { AuditReadsService } from './audit-reads.service.js';
import { AuditTriageStore } from './audit-triage.store.js';
import { BriefsService } from './briefs.service.js';
import { CommandLedgerController } from './command-ledger.controller.js';
import { CommandLedgerService } from './command-ledger.service.js';
import { HandoffService } from './handoff.service.js';
import { PolicySimulationsService } from './policy-simulations.service.js';
import { PreflightService } from './preflight.service.js';
import { PreflightStore } from './preflight.store.js';
import { RouteProbeService } from './route-probe.service.js';
import { RouteTable } from './route-table.js';
import { WorkbenchChecksController } from './workbench-checks.controller.js';
import { WorkbenchContractService } from './workbench-contract.service.js';
import { WorkbenchController } from './workbench.controller.js';

/**
 * The workbench (memory-daemon.md 4.11; D70): looks at a task, a change, a handoff, the audit, the API and the policy,
 * each with findings and one verdict, and a ledger of commands.
 */
@Module({
  imports: [
    ...[ContextModule, IncidentsModule, IntentsModule, LeasesModule, ObserveModule],
    ...[PolicySimulationModule, ReceiptsModule, ScreeningModule, WorkModule],
  ],
  controllers: [WorkbenchController, CommandLedgerController, WorkbenchChecksController],
  providers: [
    ...[ApiDriftService, AuditReadsService, AuditTriageStore, BriefsService, CommandLedgerService, HandoffService],
    ...[PolicySimulationsService, PreflightService, PreflightStore, RouteProbeService, RouteTable],
    WorkbenchContractService,
  ],
})
export class WorkbenchModule {}
