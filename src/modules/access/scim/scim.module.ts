import { Module } from '@nestjs/common';
import { SeatsModule } from '../seats/seats.module.js';
import { ScimGroupsController } from './scim-groups.controller.js';
import { ScimGroupsService } from './scim-groups.service.js';
import { ScimGroupsStore } from './scim-groups.store.js';
import { ScimRolesService } from './scim-roles.service.js';
import { ScimUsersService } from './scim-users.service.js';
import { ScimUsersStore } from './scim-users.store.js';
import { ScimController } from './scim.controller.js';

/**
 * SCIM 2.0 (RFC 7643, RFC 7644) at /scim/v2: an identity provider creates, deactivates and deletes the people of a
 * tenant. An active user has a seat.
 */
@Module({
  imports: [SeatsModule],
  controllers: [ScimController, ScimGroupsController],
  providers: [ScimUsersService, ScimUsersStore, ScimGroupsService, ScimGroupsStore, ScimRolesService],
})
export class ScimModule {}
