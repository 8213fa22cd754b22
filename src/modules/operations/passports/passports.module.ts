import { Module } from '@nestjs/common';
import { PeerServicesModule } from '../../memory/peers/peer-services.module.js';
import { MintRequestsController } from './mint-requests.controller.js';
import { MintRequestsService } from './mint-requests.service.js';
import { PassportRegistryModule } from './passport-registry.module.js';
import { PassportsController } from './passports.controller.js';
import { PassportsService } from './passports.service.js';
import { PassportsStore } from './passports.store.js';
import { PresenceSweep } from './presence.sweep.js';

/**
 * Passports: who agents, people and services are to a tenant, with requests for them, who was seen last, and their
 * revocation, which reaches what they hold and have open in every process (memory-daemon.md 4.11; D71).
 */
@Module({
  imports: [PassportRegistryModule, PeerServicesModule],
  controllers: [PassportsController, MintRequestsController],
  providers: [PassportsService, PassportsStore, MintRequestsService, PresenceSweep],
})
export class PassportsModule {}
