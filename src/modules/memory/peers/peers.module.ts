import { Module } from '@nestjs/common';
import { SystemModule } from '../../operations/system/system.module.js';
import { HandshakeController } from './handshake.controller.js';
import { HandshakeService } from './handshake.service.js';
import { PeerServicesModule } from './peer-services.module.js';
import { PeersController } from './peers.controller.js';
import { PeersService } from './peers.service.js';
import { PeersStore } from './peers.store.js';
import { ReachService } from './reach.service.js';

/**
 * Peers: other daemons with which a tenant's memory is synchronised (memory-daemon.md 4.7; D51). Who they are and what
 * is open to them, how their requests are known to be theirs, and how requests to them are made.
 */
@Module({
  imports: [SystemModule, PeerServicesModule],
  controllers: [PeersController, HandshakeController],
  providers: [PeersService, PeersStore, HandshakeService, ReachService],
  exports: [PeerServicesModule],
})
export class PeersModule {}
