import { Module } from '@nestjs/common';
import { SeatsModule } from '../seats/seats.module.js';
import { AccessRequestsController } from './access-requests/access-requests.controller.js';
import { AccessRequestsService } from './access-requests/access-requests.service.js';
import { ProvisioningService } from './access-requests/provisioning.service.js';
import { CapabilitiesService } from './capabilities/capabilities.service.js';
import { ProviderClient } from './provider-sign-in/provider-client.js';
import { ProviderSignInController } from './provider-sign-in/provider-sign-in.controller.js';
import { ProviderSignInService } from './provider-sign-in/provider-sign-in.service.js';
import { RequestPageController } from './request-page/request-page.controller.js';
import { SignInController } from './sign-in/sign-in.controller.js';
import { SignInService } from './sign-in/sign-in.service.js';
import { SignInLinksController } from './sign-in-links/sign-in-links.controller.js';
import { SignInLinksService } from './sign-in-links/sign-in-links.service.js';

/**
 * Sign-in and access requests: signs browsers in and out, mails sign-in links, reports the capabilities of a session,
 * takes access requests and, once the operating tenant has approved one, creates the tenant it asked for.
 */
@Module({
  imports: [SeatsModule],
  controllers: [
    ...[SignInController, SignInLinksController, ProviderSignInController],
    ...[AccessRequestsController, RequestPageController],
  ],
  providers: [
    ...[SignInService, SignInLinksService, ProviderSignInService, ProviderClient],
    ...[CapabilitiesService, AccessRequestsService, ProvisioningService],
  ],
})
export class FrontdoorModule {}
