import { Controller, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { anyone, ok, type DocumentedResponse } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { WitnessSmoke } from './witness.dto.js';
import { WitnessService } from './witness.service.js';

const UNAVAILABLE: DocumentedResponse = {
  description: 'A check fails: the same body with ok false. Or, as a problem, there is no checkpoint yet.',
  content: { 'application/json': { schema: WitnessSmoke } },
};

@Controller()
export class WitnessController {
  constructor(private readonly witness: WitnessService) {}

  @Route('GET /v1/witness/smoke', {
    tag: 'system',
    summary: 'Check the log as a witness would',
    description:
      'The newest checkpoint, its signature, its root, and that the log only grew, checked on the real log. 503 with the same body when a check fails. It reveals nothing about any tenant.',
    access: anyone(),
    reply: ok(WitnessSmoke),
    responses: { 503: UNAVAILABLE },
  })
  async checkWitness(@Res({ passthrough: true }) reply: FastifyReply): Promise<WitnessSmoke> {
    const smoke = await this.witness.smoke();
    if (!smoke.ok) void reply.status(503).header('retry-after', '1');
    return smoke;
  }
}
