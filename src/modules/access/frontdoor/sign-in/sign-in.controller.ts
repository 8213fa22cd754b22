import { Body, Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SETTINGS, type Settings } from '../../../../common/config/settings.js';
import { Caller, type TenantCaller } from '../../../../common/contract/caller.js';
import { anyone, ok, sessionOf } from '../../../../common/contract/contract.js';
import { Route } from '../../../../common/contract/route.decorator.js';
import { ClientAddresses } from '../../../../common/http/client-address.js';
import { Forbidden, Unauthorized } from '../../../../common/problem/common-problems.js';
import { checkSameOrigin } from '../../../../common/sessions/same-origin.js';
import { setCookieHeader } from '../../../../common/sessions/session-cookie.js';
import { CapabilitiesService } from '../capabilities/capabilities.service.js';
import { FrontdoorSessionCapabilities } from '../capabilities/capabilities.dto.js';
import { LoginThrottled } from '../frontdoor.problems.js';
import { FrontdoorAuthConnectRequest, FrontdoorAuthSession, FrontdoorLogoutResponse } from './sign-in.dto.js';
import { SignInService } from './sign-in.service.js';

@Controller()
export class SignInController {
  constructor(
    private readonly signIn: SignInService,
    private readonly capabilities: CapabilitiesService,
    private readonly addresses: ClientAddresses,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Route('POST /frontdoor/auth/connect', {
    tag: 'frontdoor',
    summary: 'Sign in with an API key',
    description:
      'Sets the cookie `svc_session` (signed, HttpOnly, SameSite=Strict, Secure outside loopback, 12 hours), which stands for the key on every /v1 route; the body is the same as that of ' +
      'GET /frontdoor/auth/session. Revoking the key ends the session. An unknown tenant, a wrong key and a key of another tenant are answered with one and the same 401. After 5 failures ' +
      'with a tenant (25 with any) an address waits a second, then twice as long each time up to 15 minutes: 429 with retry-after, whatever the key. A page of another server is refused with 403.',
    access: anyone(),
    reply: ok(FrontdoorAuthSession),
    problems: [Unauthorized, Forbidden, LoginThrottled],
    secretReply: true,
  })
  async createSession(
    @Body() body: FrontdoorAuthConnectRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<FrontdoorAuthSession> {
    checkSameOrigin(request, false, this.settings.process.publicUrl);
    const { session, cookie } = await this.signIn.connect(body, this.addresses.of(request));
    void reply.header('set-cookie', setCookieHeader(request, cookie, this.settings.process.publicUrl));
    return session;
  }

  @Route('GET /frontdoor/auth/session', {
    tag: 'frontdoor',
    summary: 'Get the current session',
    description: 'Who is signed in: an API key, or a seat with its role and e-mail. 401 once the session has ended.',
    access: sessionOf('owner', 'admin', 'member', 'viewer'),
    reply: ok(FrontdoorAuthSession),
    secretReply: true,
  })
  readSession(@Caller() caller: TenantCaller): Promise<FrontdoorAuthSession> {
    return this.signIn.describe(caller);
  }

  @Route('GET /frontdoor/auth/capabilities', {
    tag: 'frontdoor',
    summary: 'Get the capabilities of the session',
    description:
      "For a page to show only what would work. Each flag is the verdict of the route's own guards on this session: its feature is on, its tier and its seat role are admitted. `enabled` leaves the " +
      'role out. A flag says nothing about the rows: canBootstrapOwner stays true where an owner exists, and the route then answers 409. To an admin it is false: the route takes that role, and can only answer 409.',
    access: sessionOf('owner', 'admin', 'member', 'viewer'),
    reply: ok(FrontdoorSessionCapabilities),
    secretReply: true,
  })
  async readCapabilities(@Caller() caller: TenantCaller): Promise<FrontdoorSessionCapabilities> {
    return this.capabilities.of(caller);
  }

  @Route('POST /frontdoor/auth/logout', {
    tag: 'frontdoor',
    summary: 'Sign out',
    description:
      'Ends the session of the cookie, in every process within a second, and clears the cookie. Other sessions of the same key or seat go on. Needs a session: sign in first. Needs no x-idempotency-key: a repeat is 401.',
    access: sessionOf('owner', 'admin', 'member', 'viewer'),
    reply: ok(FrontdoorLogoutResponse),
    idempotent: false,
    tried: { after: ['readSession'] },
  })
  async endSession(
    @Caller() caller: TenantCaller,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<FrontdoorLogoutResponse> {
    const ended = await this.signIn.logout(caller);
    void reply.header('set-cookie', setCookieHeader(request, '', this.settings.process.publicUrl));
    return ended;
  }
}
