import { Module } from '@nestjs/common';
import { MintRequestsController } from './mint-requests.controller.js';
import { MintRequestsService } from './mint-requests.service.js';
import { PassportServicesModule } from './passport-services.module.js';
import { PassportsController } from './passports.controller.js';
import { PassportsService } from './passports.service.js';
import { PresenceSweep } from './presence.sweep.js';

/**
 * Passports: who agents, people and services are to a tenant, with requests for them, who was seen last, and their
 * revocation, which reaches what they hold and have open in every process (memory-daemon.md 4.11; D71).
 */
@Module({
  imports: [PassportServicesModule],
  controllers: [PassportsController, MintRequestsController],
  providers: [PassportsService, MintRequestsService, PresenceSweep],
})
export class PassportsModule {}
