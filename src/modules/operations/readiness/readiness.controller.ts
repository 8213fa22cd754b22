import { Controller, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { anyone, ok, type DocumentedResponse } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { Readiness } from './readiness.dto.js';
import { ReadinessService } from './readiness.service.js';

const RETRY_AFTER_SEC = '1';

const UNAVAILABLE: DocumentedResponse = {
  description: 'A gate fails: the same body with the status not_ready. Or, as a problem, the daemon sheds load.',
  content: { 'application/json': { schema: Readiness } },
};

@Controller()
export class ReadinessController {
  constructor(private readonly readiness: ReadinessService) {}

  @Route('GET /readyz', {
    tag: 'system',
    summary: 'Check readiness',
    description:
      'Nine gates, each checked on the real system and cached for about a second (memory-daemon.md 4.11). 503 with the same body while one fails or the daemon is shutting down, 200 once all hold again. docs/readiness.md says of each what to do.',
    access: anyone(),
    reply: ok(Readiness),
    responses: { 503: UNAVAILABLE },
  })
  async checkReadiness(@Res({ passthrough: true }) reply: FastifyReply): Promise<Readiness> {
    const readiness = await this.readiness.read();
    if (readiness.status === 'not_ready') void reply.status(503).header('retry-after', RETRY_AFTER_SEC);
    return readiness;
  }
}
