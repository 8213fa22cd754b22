import { Module } from '@nestjs/common';
import { SyncServicesModule } from '../sync/sync-services.module.js';
import { PeerAddresses } from './peer-addresses.service.js';
import { PeerClient } from './peer-client.service.js';
import { PeerRowsService } from './peer-rows.service.js';

/** What of peers the command line uses as well: their rows, and requests to them. */
@Module({
  imports: [SyncServicesModule],
  providers: [PeerRowsService, PeerAddresses, PeerClient],
  exports: [PeerRowsService, PeerClient],
})
export class PeerServicesModule {}
