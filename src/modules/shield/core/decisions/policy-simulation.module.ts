import { Module } from '@nestjs/common';
import { PolicySimulationService } from './policy-simulation.service.js';
import { PolicySimulationStore } from './policy-simulation.store.js';

/** What the shield would decide under another policy, for whoever asks before it is set. */
@Module({ providers: [PolicySimulationService, PolicySimulationStore], exports: [PolicySimulationService] })
export class PolicySimulationModule {}
