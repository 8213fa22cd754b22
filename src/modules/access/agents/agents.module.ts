import { Module } from '@nestjs/common';
import { EconomyModule } from '../../economy/ledger/economy.module.js';
import { AgentsController } from './agents.controller.js';
import { AgentsStore } from './agents.store.js';
import { DiscoveryQuotaService } from './discovery-quota.service.js';
import { RegistrationController } from './registration.controller.js';
import { RegistrationService } from './registration.service.js';
import { SponsorshipService } from './sponsorship.service.js';
import { StandingHeaders } from './standing-headers.js';
import { StandingService } from './standing.service.js';

/**
 * Agents that registered themselves: their bearers, what they may do until a tenant sponsors them, and their sponsors.
 * They live in the discovery tenant.
 */
@Module({
  imports: [EconomyModule],
  controllers: [AgentsController, RegistrationController],
  providers: [
    AgentsStore,
    DiscoveryQuotaService,
    RegistrationService,
    SponsorshipService,
    StandingHeaders,
    StandingService,
  ],
  exports: [DiscoveryQuotaService],
})
export class AgentsModule {}
