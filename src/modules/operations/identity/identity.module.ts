import { Module } from '@nestjs/common';
import { IdentityStore } from './identity.store.js';
import { IdentityCandidatesController } from './identity-candidates.controller.js';
import { IdentityCandidatesService } from './identity-candidates.service.js';
import { IdentityLinksController } from './identity-links.controller.js';
import { IdentityLinksService } from './identity-links.service.js';

/**
 * Which entities are one: pairs with evidence, proposed, accepted or rejected, taken back, never merged
 * (memory-daemon.md 4.11; D71). See docs/identity.md.
 */
@Module({
  controllers: [IdentityCandidatesController, IdentityLinksController],
  providers: [IdentityStore, IdentityCandidatesService, IdentityLinksService],
})
export class IdentityModule {}
