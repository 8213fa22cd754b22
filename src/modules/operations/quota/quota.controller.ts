import { Controller, Query } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { Quota, QuotaQuery } from './quota.dto.js';
import { QuotaService } from './quota.service.js';

@Controller()
export class QuotaController {
  constructor(private readonly quota: QuotaService) {}

  @Route('GET /v1/quota', {
    tag: 'quota',
    flag: 'quota',
    summary: 'Read what is left of quotas',
    description:
      'Of the acting passport, for the surfaces that have a quota (SVCD_QUOTA_HOSTED_SURFACES). Looking takes nothing. Answers of such a surface say the same in the headers RateLimit and RateLimit-Policy; when nothing is left they are 429 QUOTA_EXCEEDED.',
    access: anyOf('query:read', 'admin:read'),
    reply: ok(Quota),
  })
  readQuota(@Caller() caller: DaemonCaller, @Query() { passport }: QuotaQuery): Promise<Quota> {
    return this.quota.read(caller, passport);
  }
}
