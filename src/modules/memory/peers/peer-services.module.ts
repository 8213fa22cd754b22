import { Module } from '@nestjs/common';
import { PeerAddresses } from './peer-addresses.service.js';
import { PeerClient } from './peer-client.service.js';
import { PeerRowsService } from './peer-rows.service.js';

/** What of peers the command line uses as well: their rows, and requests to them. */
@Module({
  providers: [PeerRowsService, PeerAddresses, PeerClient],
  exports: [PeerRowsService, PeerClient],
})
export class PeerServicesModule {}
