import { Module } from '@nestjs/common';
import { SeatsModule } from '../seats/seats.module.js';
import { ScimUsersService } from './scim-users.service.js';
import { ScimUsersStore } from './scim-users.store.js';
import { ScimController } from './scim.controller.js';

/**
 * SCIM 2.0 (RFC 7643, RFC 7644) at /scim/v2: an identity provider creates, deactivates and deletes the people of a
 * tenant. An active user has a seat.
 */
@Module({
  imports: [SeatsModule],
  controllers: [ScimController],
  providers: [ScimUsersService, ScimUsersStore],
})
export class ScimModule {}
