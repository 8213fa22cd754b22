import { Body, Controller, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { Deadline } from '../../../common/ingress/deadline.js';
import { MediatedDraft, MediationDraft, MediationStatus } from './mediation.dto.js';
import { DraftRejected, EngineFailed } from './mediation.problems.js';
import { MediationService } from './mediation.service.js';

const COMMON = { tag: 'mediation', flag: 'engine', extension: true } as const;

@Controller()
export class MediationController {
  constructor(private readonly mediation: MediationService) {}

  @Route('GET /v1/mediation/status', {
    ...COMMON,
    summary: 'See which drafts are taken',
    access: anyOf('admin:read', 'facts:read', 'query:read', 'sessions:read'),
    reply: ok(MediationStatus),
  })
  readMediation(): Promise<MediationStatus> {
    return this.mediation.status();
  }

  @Route('POST /v1/mediation/drafts', {
    ...COMMON,
    summary: 'Send a draft to the engine',
    description:
      'The payload goes to the engine of SVCD_ENGINE_BASE_URL as it is, and its answer comes back so. No header of the request goes on, nor its credential. Each draft that was sent has a receipt with salted digests of both, also where the engine refused it or was away (502).',
    access: anyOf('facts:write', 'admin:write'),
    reply: ok(MediatedDraft),
    problems: [DraftRejected, EngineFailed],
    bodyLimit: 2 * 1024 * 1024,
  })
  sendDraft(
    @Caller() caller: DaemonCaller,
    @Body() body: MediationDraft,
    @Req() { id }: FastifyRequest,
    @Deadline() deadline: AbortSignal,
  ): Promise<MediatedDraft> {
    return this.mediation.draft(caller, body, { id, deadline });
  }
}
