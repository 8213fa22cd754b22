import { Controller, Res } from '@nestjs/common';
import { ApiResponse, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ok } from '../../common/contract/contract.js';
import { DaemonRoute } from '../../daemon/contract/daemon-route.decorator.js';
import { open } from '../../daemon/contract/scopes.js';
import { DaemonProblem } from '../../daemon/problems/daemon-problem-body.js';
import { PROBLEM_JSON } from '../../daemon/problems/daemon-problem-form.js';
import { Readiness } from './readiness.dto.js';
import { ReadinessService } from './readiness.service.js';

const RETRY_AFTER_SEC = '1';

@Controller()
export class ReadinessController {
  constructor(private readonly readiness: ReadinessService) {}

  @ApiResponse({
    status: 503,
    description: 'A gate fails: the same body with the status not_ready. Or, as a problem, the daemon sheds load.',
    headers: { 'retry-after': { description: 'Seconds to wait before the next try.', schema: { type: 'integer' } } },
    content: {
      'application/json': { schema: { $ref: getSchemaPath(Readiness) } },
      [PROBLEM_JSON]: { schema: { $ref: getSchemaPath(DaemonProblem) } },
    },
  })
  @DaemonRoute('GET /readyz', {
    tag: 'system',
    summary: 'Whether the daemon can do its work',
    description:
      'Nine gates, each looked at for real and believed for about a second (memory-daemon.md 4.11). 503 with the same body while one fails, 200 once all hold again. docs/readiness.md says of each what to do.',
    scopes: open(),
    reply: ok(Readiness),
  })
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<Readiness> {
    const readiness = await this.readiness.read();
    if (readiness.status === 'not_ready') void reply.status(503).header('retry-after', RETRY_AFTER_SEC);
    return readiness;
  }
}
