import { Module } from '@nestjs/common';
import { ProvenanceController } from './provenance.controller.js';
import { ProvenanceService } from './provenance.service.js';
import { SigningGateway } from './signing-gateway.service.js';
import { TrustRoots } from './trust-roots.service.js';

/**
 * POST /v1/provenance/*: signs content by a key that the caller brings, and verifies such envelopes. A key is used
 * for one signature and overwritten; nothing of it is stored or logged. Envelopes are standard (Sigstore bundle, DSSE,
 * in-toto): others verify them without this server.
 */
@Module({
  controllers: [ProvenanceController],
  providers: [ProvenanceService, SigningGateway, TrustRoots],
})
export class ProvenanceModule {}
