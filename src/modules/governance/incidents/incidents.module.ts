import { Module } from '@nestjs/common';
import { ExportsModule } from '../../evidence/exports/exports.module.js';
import { AcceptanceModule } from '../../knowledge/ingest/acceptance.module.js';
import { CasesModule } from '../../memory/cases/cases.module.js';
import { FactsModule } from '../../memory/facts/facts.module.js';
import { LegalHoldsModule } from '../legal-holds/legal-holds.module.js';
import { BlastRadiusController } from './blast-radius/blast-radius.controller.js';
import { BlastRadiusService } from './blast-radius/blast-radius.service.js';
import { QuarantinesService } from './blast-radius/quarantines.service.js';
import { RadiusReadsService } from './blast-radius/radius-reads.service.js';
import { RadiusWalkService } from './blast-radius/radius-walk.service.js';
import { RadiusStore } from './blast-radius/radius.store.js';
import { IncidentExportsService } from './incident-exports.service.js';
import { IncidentOpeningsModule } from './incident-openings.module.js';
import { IncidentHoldsService } from './incident-holds.service.js';
import { IncidentsController } from './incidents.controller.js';
import { IncidentsService } from './incidents.service.js';
import { IncidentTimelineService } from './timeline/incident-timeline.service.js';
import { IncidentTimelineStore } from './timeline/incident-timeline.store.js';
import { TimelineReadsService } from './timeline/timeline-reads.service.js';

/**
 * Incident cases (memory-daemon.md 4.8; D54): what happened in a window of time, its export, a legal hold over it, all
 * that rests on a bad source, and the quarantine of that.
 */
@Module({
  imports: [AcceptanceModule, CasesModule, ExportsModule, FactsModule, IncidentOpeningsModule, LegalHoldsModule],
  controllers: [IncidentsController, BlastRadiusController],
  providers: [
    IncidentsService,
    IncidentExportsService,
    IncidentHoldsService,
    IncidentTimelineService,
    IncidentTimelineStore,
    TimelineReadsService,
    BlastRadiusService,
    QuarantinesService,
    RadiusReadsService,
    RadiusWalkService,
    RadiusStore,
  ],
  exports: [TimelineReadsService],
})
export class IncidentsModule {}
