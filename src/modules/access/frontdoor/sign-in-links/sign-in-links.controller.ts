import { Body, Controller, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { accepted, anyone } from '../../../../common/contract/contract.js';
import { Route } from '../../../../common/contract/route.decorator.js';
import { ClientAddresses } from '../../../../common/http/client-address.js';
import { TooManyRequests } from '../frontdoor.problems.js';
import { FrontdoorSignInLinkRequest, FrontdoorSignInLinkResponse } from './sign-in-links.dto.js';
import { SignInLinksService } from './sign-in-links.service.js';

@Controller()
export class SignInLinksController {
  constructor(
    private readonly links: SignInLinksService,
    private readonly addresses: ClientAddresses,
  ) {}

  @Route('POST /frontdoor/auth/sign-in-link', {
    tag: 'frontdoor',
    summary: 'Request a sign-in link by e-mail',
    description:
      'For people whose session has ended. When the tenant has an active seat with this e-mail, and SVC_SMTP_URL is set, a link is mailed to it that opens a session once, within 7 days; it takes the ' +
      'place of a link before. The answer is always the same, and reveals neither whether there is such a seat nor whether a mail was sent. An address may send 5, then one a minute, then ever ' +
      'fewer: 429 with retry-after. Mails to one e-mail are limited likewise, over all requesters; the answer stays the same. Without mail, an owner or admin makes a link with POST /v1/org/invite.',
    access: anyone(),
    reply: accepted(FrontdoorSignInLinkResponse),
    problems: [TooManyRequests],
  })
  requestSignInLink(
    @Body() body: FrontdoorSignInLinkRequest,
    @Req() request: FastifyRequest,
  ): Promise<FrontdoorSignInLinkResponse> {
    return this.links.request(body, this.addresses.of(request));
  }
}
