import { Body, Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SETTINGS, type Settings } from '../../../../common/config/settings.js';
import { anyone, ok } from '../../../../common/contract/contract.js';
import { Route } from '../../../../common/contract/route.decorator.js';
import { ClientAddresses } from '../../../../common/http/client-address.js';
import { FeatureDisabled, Forbidden, Unauthorized } from '../../../../common/problem/common-problems.js';
import { checkSameOrigin } from '../../../../common/sessions/same-origin.js';
import { setCookieHeader } from '../../../../common/sessions/session-cookie.js';
import { LoginThrottled, ProviderUnavailable, TooManyRequests } from '../frontdoor.problems.js';
import { FrontdoorAuthSession } from '../sign-in/sign-in.dto.js';
import {
  ProviderSignInFinishRequest,
  ProviderSignInStart,
  ProviderSignInStartRequest,
} from './provider-sign-in.dto.js';
import { ProviderSignInService } from './provider-sign-in.service.js';

@Controller()
export class ProviderSignInController {
  constructor(
    private readonly signIn: ProviderSignInService,
    private readonly addresses: ClientAddresses,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Route('POST /frontdoor/auth/provider/start', {
    tag: 'frontdoor',
    summary: 'Begin to sign in at the identity provider',
    description:
      'Where SVC_OIDC_ISSUER and SVC_OIDC_CLIENT_ID are set, else 412. Authorization code flow with PKCE: the browser goes to `authorizationUrl` and comes back to SVC_CONSOLE_URL with `code` and `state`, ' +
      'which POST /frontdoor/auth/provider/finish takes. The answer is the same for every tenant, whether there is one of the name or not.',
    access: anyone(),
    reply: ok(ProviderSignInStart),
    problems: [FeatureDisabled, TooManyRequests, ProviderUnavailable],
    secretReply: true,
    extension: true,
  })
  startProviderSignIn(
    @Body() body: ProviderSignInStartRequest,
    @Req() request: FastifyRequest,
  ): Promise<ProviderSignInStart> {
    return this.signIn.start(body, this.addresses.of(request));
  }

  @Route('POST /frontdoor/auth/provider/finish', {
    tag: 'frontdoor',
    summary: 'Sign in with the answer of the identity provider',
    description:
      'Sets the session cookie of the seat whose e-mail address the provider has verified, as a sign-in link does; where SVC_OIDC_GROUP_ROLES maps a group of the person, the seat has that role from ' +
      'now on, owners apart. 401 for a transaction or an answer that does not hold, has expired or was used before; 403 where the tenant is not one of SVC_OIDC_TENANTS or has no such active seat. ' +
      'Leaves a signed receipt `seat.signed_in`, and `seat.role_changed` where the role did. See docs/sign-in.md.',
    access: anyone(),
    reply: ok(FrontdoorAuthSession),
    problems: [FeatureDisabled, Unauthorized, Forbidden, LoginThrottled, ProviderUnavailable],
    secretReply: true,
    extension: true,
  })
  async finishProviderSignIn(
    @Body() body: ProviderSignInFinishRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<FrontdoorAuthSession> {
    checkSameOrigin(request, false, this.settings.process.publicUrl);
    const { session, cookie } = await this.signIn.finish(body, this.addresses.of(request));
    void reply.header('set-cookie', setCookieHeader(request, cookie, this.settings.process.publicUrl));
    return session;
  }
}
