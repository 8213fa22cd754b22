import { Controller } from '@nestjs/common';
import { anyone, okBytes } from '../../../../common/contract/contract.js';
import { Route } from '../../../../common/contract/route.decorator.js';
import { PageHeaders } from '../../../../common/http/page.js';
import { REQUEST_PAGE } from './request-page.js';

@Controller()
export class RequestPageController {
  @Route('GET /frontdoor/request-access', {
    tag: 'frontdoor',
    summary: 'Show the access request page',
    description:
      'A form for POST /frontdoor/access-requests, which shows the receipt. Where upgradeUrl leads unless SVC_UPGRADE_URL names another address.',
    access: anyone(),
    reply: okBytes('text/html; charset=utf-8'),
  })
  @PageHeaders(REQUEST_PAGE)
  showRequestPage(): Promise<string> {
    return Promise.resolve(REQUEST_PAGE.html);
  }
}
