import { Module } from '@nestjs/common';
import { ScreeningModule } from '../../../common/screening/screening.module.js';
import { CapabilitiesController } from './capabilities.controller.js';
import { CapabilityReadsService } from './capability-reads.service.js';
import { CapabilityAuditsService } from './capability-audits.service.js';
import { CapabilityRegistry } from './capability-registry.js';

/**
 * The capability registry (memory-daemon.md 4.6; D45): what the product can do, made of the declarations of its apps,
 * what a user's own systems can do, from a file, and what tenants judge of both.
 */
@Module({
  imports: [ScreeningModule],
  controllers: [CapabilitiesController],
  providers: [CapabilityRegistry, CapabilityReadsService, CapabilityAuditsService],
})
export class CapabilitiesModule {}
