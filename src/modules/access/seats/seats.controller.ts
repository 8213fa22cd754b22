import { Body, Controller, Param, Query } from '@nestjs/common';
import { Caller, type TenantCaller } from '../../../common/contract/caller.js';
import { ok, seats } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import {
  OrgSeat,
  OrgSeatListQuery,
  OrgSeatPath,
  OrgSeatRoleUpdateRequest,
  OrgSeatsResponse,
  ReasonQuery,
} from './seats.dto.js';
import { InvitationOfNonOwner, LastOwner, SeatRevoked, SeatUnknown } from './seats.problems.js';
import { SeatsService } from './seats.service.js';

@Controller()
export class SeatsController {
  constructor(private readonly seats: SeatsService) {}

  @Route('GET /v1/org/seats', {
    tag: 'seats',
    summary: 'List seats and their cost',
    access: seats('owner', 'admin'),
    reply: ok(OrgSeatsResponse),
  })
  listSeats(@Caller() caller: TenantCaller, @Query() query: OrgSeatListQuery): Promise<OrgSeatsResponse> {
    return this.seats.list(caller, query);
  }

  @Route('PUT /v1/org/seats/:id', {
    tag: 'seats',
    summary: 'Change the role of a seat',
    description:
      'Ends the sessions of the seat in every process within a second, and the invitations it made. It signs in again with a link (POST /frontdoor/auth/sign-in-link, or POST /v1/org/invite by ' +
      'somebody else), with the new role. Only an owner makes an owner, or changes one (403). ' +
      "An invitation that an admin made cannot become an owner's (409 InvitationOfNonOwner): the admin has its token; an owner sends a new invitation. " +
      'The last active owner cannot be demoted (409 LastOwner). The role it has already changes nothing. Leaves a signed receipt `seat.role_changed`.',
    access: seats('owner', 'admin'),
    reply: ok(OrgSeat),
    problems: [SeatUnknown, SeatRevoked, InvitationOfNonOwner, LastOwner],
    tried: { from: { id: 'inviteSeat#/seat/id' } },
  })
  changeSeatRole(
    @Caller() caller: TenantCaller,
    @Param() { id }: OrgSeatPath,
    @Query() { reason }: ReasonQuery,
    @Body() { role }: OrgSeatRoleUpdateRequest,
  ): Promise<OrgSeat> {
    return this.seats.changeRole(caller, { seatId: id, role, reason });
  }

  @Route('DELETE /v1/org/seats/:id', {
    tag: 'seats',
    summary: 'Revoke a seat or withdraw an invitation',
    description:
      'Ends the sessions of the seat in every process within a second, its invitation and those it made. For good: to come back, the e-mail is invited again. Answers the seat as it is now, ' +
      'also when it was revoked before. Only an owner revokes an owner (403), and never the last active one (409 LastOwner). Leaves a signed receipt `seat.revoked`.',
    access: seats('owner', 'admin'),
    reply: ok(OrgSeat),
    problems: [SeatUnknown, LastOwner],
    tried: { from: { id: 'bootstrapOwner#/seat/id' } },
  })
  revokeSeat(
    @Caller() caller: TenantCaller,
    @Param() { id }: OrgSeatPath,
    @Query() { reason }: ReasonQuery,
  ): Promise<OrgSeat> {
    return this.seats.revoke(caller, { seatId: id, reason });
  }
}
