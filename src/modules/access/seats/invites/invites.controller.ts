import { Body, Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SETTINGS, type Settings } from '../../../../common/config/settings.js';
import { Caller, type TenantCaller } from '../../../../common/contract/caller.js';
import { anyone, created, ok, seats } from '../../../../common/contract/contract.js';
import { Route } from '../../../../common/contract/route.decorator.js';
import { setCookieHeader } from '../../../../common/sessions/session-cookie.js';
import { InviteUnknown, OwnerExists, OwnerNeedsKey, SeatActive } from '../seats.problems.js';
import {
  OrgAcceptInviteRequest,
  OrgAcceptInviteResponse,
  OrgBootstrapOwnerRequest,
  OrgBootstrapOwnerResponse,
  OrgInviteRequest,
  OrgInviteResponse,
} from './invites.dto.js';
import { SeatInvitesService } from './seat-invites.service.js';

@Controller()
export class InvitesController {
  constructor(
    private readonly invites: SeatInvitesService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Route('POST /v1/org/bootstrap-owner', {
    tag: 'seats',
    summary: "Create the first owner's seat",
    description:
      'Answers the seat, pending, with the invitation that makes it active. 409 OwnerExists while an owner is active or has an invitation that can be accepted; one that ' +
      'expired gives way. Only an owner makes an owner: an API key may, an admin gets 409 OwnerNeedsKey.',
    access: seats('owner', 'admin'),
    reply: created(OrgBootstrapOwnerResponse),
    problems: [OwnerExists, OwnerNeedsKey, SeatActive],
    secretReply: true,
  })
  bootstrapOwner(
    @Caller() caller: TenantCaller,
    @Body() { email }: OrgBootstrapOwnerRequest,
  ): Promise<OrgBootstrapOwnerResponse> {
    return this.invites.bootstrapOwner(caller, email);
  }

  @Route('POST /v1/org/invite', {
    tag: 'seats',
    summary: 'Invite a person to a seat',
    description:
      'The invitation lasts 7 days and is accepted once. A further one for the same e-mail takes the place of the one before, whose token opens nothing any more. It ends with the seat ' +
      'or key that made it: revoked, rotated or given another role. For an e-mail whose seat is active, without a role or with the one it has, it is an invitation to sign in again: the ' +
      'seat stays active, and the token opens a session. Another role is refused (409 SeatActive), and so is an admin who asks for an owner (403). Mailed where SVC_SMTP_URL is set; ' +
      'the link is in the answer either way. Beyond the seats of the tier each further seat is billed.',
    access: seats('owner', 'admin'),
    reply: created(OrgInviteResponse),
    problems: [SeatActive],
    secretReply: true,
  })
  inviteSeat(@Caller() caller: TenantCaller, @Body() body: OrgInviteRequest): Promise<OrgInviteResponse> {
    return this.invites.invite(caller, body);
  }

  @Route('POST /v1/org/accept-invite', {
    tag: 'seats',
    summary: 'Accept an invitation',
    description:
      'Makes the seat active and signs it in: sets the session cookie. Of a seat that is active already it opens another session, and leaves a signed receipt `seat.signed_in`; acceptedAt ' +
      'stays. A token that is unknown, used, replaced, withdrawn or expired, or whose maker was revoked or changed, is answered with one and the same 404.',
    access: anyone(),
    reply: ok(OrgAcceptInviteResponse),
    problems: [InviteUnknown],
    secretReply: true,
    tried: { from: { 'body/token': 'inviteSeat#/inviteToken' }, after: ['bootstrapOwner', 'changeSeatRole'] },
  })
  async acceptInvite(
    @Body() { token }: OrgAcceptInviteRequest,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<OrgAcceptInviteResponse> {
    const { session, cookie } = await this.invites.accept(token);
    void reply.header('set-cookie', setCookieHeader(request, cookie, this.settings.process.publicUrl));
    return session;
  }
}
