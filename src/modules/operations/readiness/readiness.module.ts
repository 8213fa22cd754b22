import { Module, type OnModuleInit } from '@nestjs/common';
import { ProjectionChecks } from '../../../common/health/projection-checks.js';
import { LocalIngestModule } from '../../memory/local-ingest/local-ingest.module.js';
import { CorruptionWatch } from './corruption-watch.service.js';
import { CorruptionStore } from './corruption.store.js';
import { EvidenceLooksStore } from './evidence-looks.store.js';
import { EvidenceWatch } from './evidence-watch.service.js';
import { DataDirLock } from './data-dir-lock.js';
import { ControlEvidenceGate } from './gates/control-evidence.gate.js';
import { CorruptionGate } from './gates/corruption.gate.js';
import { DataDirCapacityGate } from './gates/data-dir-capacity.gate.js';
import { DataDirLockGate } from './gates/data-dir-lock.gate.js';
import { ProjectionsGate } from './gates/projections.gate.js';
import { ReadRetryGate } from './gates/read-retry.gate.js';
import { ReplicatedDataplaneGate, ReplicatedTopologyGate } from './gates/replication.gates.js';
import { RoutingGate } from './gates/routing.gate.js';
import { OperatorLook } from './operator-look.js';
import { DERIVED_TABLES } from './projections/derived-tables.js';
import { SampledProjection } from './projections/sampled-projection.js';
import { ReadinessController } from './readiness.controller.js';
import { GATES, ReadinessService } from './readiness.service.js';
import type { Gate } from './readiness.types.js';
import { ShardMap } from '../../../common/routing/shard-map.js';

// In the order of memory-daemon.md 4.11.
const READINESS_GATES = [
  DataDirCapacityGate,
  DataDirLockGate,
  RoutingGate,
  ReplicatedDataplaneGate,
  ReplicatedTopologyGate,
  ReadRetryGate,
  ProjectionsGate,
  CorruptionGate,
  ControlEvidenceGate,
];

/**
 * GET /readyz: the nine gates (memory-daemon.md 4.11, D39), each of which checks the real system. A gate is one class
 * in gates/; the service runs them for all probes together. Here too are the lock on the data directory and the
 * watches for corruption and over the evidence, which three of them report.
 */
@Module({
  imports: [LocalIngestModule],
  controllers: [ReadinessController],
  providers: [
    ReadinessService,
    OperatorLook,
    DataDirLock,
    ShardMap,
    CorruptionStore,
    CorruptionWatch,
    EvidenceLooksStore,
    EvidenceWatch,
    ...READINESS_GATES,
    { provide: GATES, useFactory: (...gates: Gate[]) => gates, inject: READINESS_GATES },
  ],
  exports: [ReadinessService],
})
export class ReadinessModule implements OnModuleInit {
  constructor(private readonly projections: ProjectionChecks) {}

  onModuleInit(): void {
    for (const table of DERIVED_TABLES) this.projections.add(new SampledProjection(table));
  }
}
