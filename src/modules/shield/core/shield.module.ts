import { Global, Module } from '@nestjs/common';
import { ShieldPipeline } from '../../../common/call-policy/shield-pipeline.js';
import { GroupedEffects } from '../../../common/grouped-effects/grouped-effects.js';
import { ApprovalsController } from './approvals/approvals.controller.js';
import { ApprovalsService } from './approvals/approvals.service.js';
import { ApprovalsStore } from './approvals/approvals.store.js';
import { UiIntegrityController } from './approvals/ui-integrity.controller.js';
import { UiIntegrityService } from './approvals/ui-integrity.service.js';
import { UiIntegrityStore } from './approvals/ui-integrity.store.js';
import { DecisionsController } from './decisions/decisions.controller.js';
import { DecisionsModule } from './decisions/decisions.module.js';
import { OverviewService } from './decisions/overview.service.js';
import { OverviewStore } from './decisions/overview.store.js';
import { DrillKindsService } from './drills/drill-kinds.service.js';
import { DrillStageService } from './drills/drill-stage.service.js';
import { DrillsController } from './drills/drills.controller.js';
import { DrillsService } from './drills/drills.service.js';
import { DrillsStore } from './drills/drills.store.js';
import { DrillsWorker } from './drills/drills.worker.js';
import { KillSwitchesController } from './kill-switches/kill-switches.controller.js';
import { KillSwitchesService } from './kill-switches/kill-switches.service.js';
import { KillSwitchesStore } from './kill-switches/kill-switches.store.js';
import { PipelineService } from './pipeline.service.js';
import { PolicyController } from './policy/policy.controller.js';
import { PolicyService } from './policy/policy.service.js';
import { PolicyStore } from './policy/policy.store.js';
import { SamplingController } from './sampling/sampling.controller.js';
import { SamplingService } from './sampling/sampling.service.js';
import { SamplingStore } from './sampling/sampling.store.js';
import { TargetsService } from './targets.service.js';
import { DecisionSweep, SpendingSweep } from './tool-calls/tool-calls.sweeps.js';
import { TrustController } from './trust/trust.controller.js';
import { TrustService } from './trust/trust.service.js';
import { TrustStore } from './trust/trust.store.js';

/**
 * The shield in front of every call: it decides by kill switches, trust and policy, keeps each decision with its event,
 * asks for approvals and uses them up with the effect, and is tried by incident drills. See docs/shield.md.
 */
@Global()
@Module({
  imports: [DecisionsModule],
  controllers: [
    ApprovalsController,
    DecisionsController,
    DrillsController,
    KillSwitchesController,
    PolicyController,
    SamplingController,
    TrustController,
    UiIntegrityController,
  ],
  providers: [
    ApprovalsService,
    ApprovalsStore,
    DecisionSweep,
    DrillKindsService,
    DrillStageService,
    DrillsService,
    DrillsStore,
    DrillsWorker,
    GroupedEffects,
    KillSwitchesService,
    KillSwitchesStore,
    OverviewService,
    OverviewStore,
    PipelineService,
    PolicyService,
    PolicyStore,
    SamplingService,
    SamplingStore,
    SpendingSweep,
    TargetsService,
    TrustService,
    TrustStore,
    UiIntegrityService,
    UiIntegrityStore,
    { provide: ShieldPipeline, useExisting: PipelineService },
  ],
  exports: [GroupedEffects, ShieldPipeline],
})
export class ShieldModule {}
