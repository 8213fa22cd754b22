import { Controller } from '@nestjs/common';
import { anyone, okBytes } from '../../../../common/contract/contract.js';
import { Route } from '../../../../common/contract/route.decorator.js';
import { PageHeaders } from '../../../../common/http/page.js';
import { ACCEPT_PAGE } from './accept-page.js';

@Controller()
export class AcceptPageController {
  @Route('GET /frontdoor/accept-invite', {
    tag: 'seats',
    summary: 'Show the invitation page',
    description:
      'Where inviteUrl leads. The token is in the fragment of the address, which does not reach the server; the page sends it to POST /v1/org/accept-invite when its button is pressed.',
    access: anyone(),
    reply: okBytes('text/html; charset=utf-8'),
  })
  @PageHeaders(ACCEPT_PAGE)
  showAcceptPage(): Promise<string> {
    return Promise.resolve(ACCEPT_PAGE.html);
  }
}
