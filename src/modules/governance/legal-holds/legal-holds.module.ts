import { Module } from '@nestjs/common';
import { IncidentStates } from './incident-states.service.js';
import { LegalHoldsController } from './legal-holds.controller.js';
import { LegalHoldsService } from './legal-holds.service.js';
import { LegalHoldsStore } from './legal-holds.store.js';
import { RefusedDeletionsSweep } from './refused-deletions.sweep.js';

/**
 * Legal holds: what must not be deleted while a matter goes on (memory-daemon.md 2.3, 3, 4.8; D55). They are kept by
 * triggers of the tables; `common/legal-holds` answers and receipts what those refuse.
 */
@Module({
  controllers: [LegalHoldsController],
  providers: [LegalHoldsService, LegalHoldsStore, IncidentStates, RefusedDeletionsSweep],
  exports: [LegalHoldsService, IncidentStates],
})
export class LegalHoldsModule {}
