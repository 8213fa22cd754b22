import type { FastifyRequest } from 'fastify';
import { headerOf } from '../../common/http/headers.js';

const TOOL_SET_HEADER = 'x-svc-tool-set';

/** What a request over HTTP asks for; the header comes before the query. */
export function toolSetIn(request: FastifyRequest): string | undefined {
  const { tool_set: named } = (request.query ?? {}) as { tool_set?: unknown };
  return headerOf(request, TOOL_SET_HEADER) ?? (typeof named === 'string' ? named : undefined);
}
