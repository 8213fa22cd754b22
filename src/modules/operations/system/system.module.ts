import { Module } from '@nestjs/common';
import { NonceService } from './nonce.service.js';
import { RailsController } from './rails.controller.js';
import { RailsService } from './rails.service.js';
import { SystemController } from './system.controller.js';
import { VersionService } from './version.service.js';
import { WitnessController } from './witness.controller.js';
import { WitnessService } from './witness.service.js';

/**
 * What the daemon says of itself: liveness, metrics, version, manifest, a smoke test of its evidence, the two legacy
 * rails, and the nonces of the sync handshake. Readiness is a module of its own.
 */
@Module({
  controllers: [SystemController, WitnessController, RailsController],
  providers: [VersionService, NonceService, WitnessService, RailsService],
  exports: [NonceService, VersionService],
})
export class SystemModule {}
