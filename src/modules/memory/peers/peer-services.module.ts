import { Module } from '@nestjs/common';
import { SyncServicesModule } from '../sync/sync-services.module.js';
import { DelegationsService } from './delegations.service.js';
import { PeerAddresses } from './peer-addresses.service.js';
import { PeerClient } from './peer-client.service.js';
import { PeerRowsService } from './peer-rows.service.js';

/** What of peers the command line uses as well: their rows, and requests to them. */
@Module({
  imports: [SyncServicesModule],
  providers: [PeerRowsService, PeerAddresses, PeerClient, DelegationsService],
  exports: [PeerRowsService, PeerClient, DelegationsService],
})
export class PeerServicesModule {}
