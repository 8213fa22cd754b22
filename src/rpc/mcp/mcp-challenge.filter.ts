import { Catch, type ArgumentsHost } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Unauthorized } from '../../common/problem/house-problems.js';
import { ProblemFilter } from '../../common/problem/problem.filter.js';

/** Tells clients of the Model Context Protocol which credential they may send, where one was missing or did not hold (RFC 6750, section 3). */
@Catch(Unauthorized)
export class McpChallenge extends ProblemFilter {
  override catch(error: Unauthorized, host: ArgumentsHost): void {
    void host.switchToHttp().getResponse<FastifyReply>().header('www-authenticate', 'Bearer');
    super.catch(error, host);
  }
}
