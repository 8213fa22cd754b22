import { Module } from '@nestjs/common';
import { OrchestratedWorkStore } from './orchestrated-work.store.js';
import { OrchestratorMembersService } from './orchestrator-members.service.js';
import { OrchestratorsController } from './orchestrators.controller.js';
import { OrchestratorsService } from './orchestrators.service.js';
import { OrchestratorsStore } from './orchestrators.store.js';

/**
 * What several agents and their work are gathered under: members are passports, work items and other orchestrators
 * (memory-daemon.md 4.9; D62).
 */
@Module({
  controllers: [OrchestratorsController],
  providers: [OrchestratorsService, OrchestratorMembersService, OrchestratorsStore, OrchestratedWorkStore],
})
export class OrchestratorsModule {}
