import { Module } from '@nestjs/common';
import { PeerServicesModule } from '../../memory/peers/peer-services.module.js';
import { MintRequestRowsService } from './mint-request-rows.service.js';
import { PassportRegistryModule } from './passport-registry.module.js';
import { PassportRowsService } from './passport-rows.service.js';
import { PassportsStore } from './passports.store.js';

/** What of passports the command line uses as well: their rows, and those of requests for them. */
@Module({
  imports: [PassportRegistryModule, PeerServicesModule],
  providers: [PassportRowsService, PassportsStore, MintRequestRowsService],
  exports: [PassportRowsService, PassportsStore, MintRequestRowsService],
})
export class PassportServicesModule {}
