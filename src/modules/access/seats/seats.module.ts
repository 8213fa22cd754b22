import { Module } from '@nestjs/common';
import { AcceptPageController } from './accept-page/accept-page.controller.js';
import { ApiKeysController } from './api-keys/api-keys.controller.js';
import { ApiKeysService } from './api-keys/api-keys.service.js';
import { ApiKeysStore } from './api-keys/api-keys.store.js';
import { InvitesController } from './invites/invites.controller.js';
import { SeatInvitesService } from './invites/seat-invites.service.js';
import { OrganisationLock } from './organisation-lock.service.js';
import { SeatBillingModule } from './seat-billing.module.js';
import { ProviderSeatsService } from './provider-seats.service.js';
import { SeatJournal } from './seat-journal.service.js';
import { SeatsController } from './seats.controller.js';
import { SeatsService } from './seats.service.js';

/**
 * Who belongs to a tenant: seats with their roles, invitations to them and the page where one is accepted, and the API
 * keys, which count as owner.
 * Everything that is decided about them is kept with who, when and why.
 */
@Module({
  imports: [SeatBillingModule],
  controllers: [SeatsController, InvitesController, ApiKeysController, AcceptPageController],
  providers: [
    ...[SeatsService, SeatInvitesService, ProviderSeatsService, SeatJournal],
    ...[OrganisationLock, ApiKeysService, ApiKeysStore],
  ],
  exports: [SeatsService, SeatInvitesService, ProviderSeatsService, OrganisationLock],
})
export class SeatsModule {}
