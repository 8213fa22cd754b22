import { Controller, Res } from '@nestjs/common';
import { ApiResponse, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ok } from '../../common/contract/contract.js';
import { DaemonRoute } from '../../daemon/contract/daemon-route.decorator.js';
import { open } from '../../daemon/contract/scopes.js';
import { DaemonProblem } from '../../daemon/problems/daemon-problem-body.js';
import { PROBLEM_JSON } from '../../daemon/problems/daemon-problem-form.js';
import { WitnessSmoke } from './witness.dto.js';
import { WitnessService } from './witness.service.js';

@Controller()
export class WitnessController {
  constructor(private readonly witness: WitnessService) {}

  @ApiResponse({
    status: 503,
    description: 'A check fails: the same body with ok false. Or, as a problem, there is no checkpoint yet.',
    headers: { 'retry-after': { description: 'Seconds to wait before the next try.', schema: { type: 'integer' } } },
    content: {
      'application/json': { schema: { $ref: getSchemaPath(WitnessSmoke) } },
      [PROBLEM_JSON]: { schema: { $ref: getSchemaPath(DaemonProblem) } },
    },
  })
  @DaemonRoute('GET /v1/witness/smoke', {
    tag: 'system',
    summary:
      'A quick check of the evidence: the newest checkpoint, its signature, its root, and that the log only grew',
    description:
      'What a witness would check of the log, done here and now on the real thing. 503 with the same body when a check fails. It tells nothing of any tenant.',
    scopes: open(),
    reply: ok(WitnessSmoke),
  })
  async smoke(@Res({ passthrough: true }) reply: FastifyReply): Promise<WitnessSmoke> {
    const smoke = await this.witness.smoke();
    if (!smoke.ok) void reply.status(503).header('retry-after', '1');
    return smoke;
  }
}
