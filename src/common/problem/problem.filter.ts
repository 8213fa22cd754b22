import { Catch, HttpException, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseUnavailable } from '../database/unavailable.js';
import { LOG, type Log } from '../observability/log.js';
import {
  MalformedRequest,
  MethodNotAllowed,
  PayloadTooLarge,
  RequestTimeout,
  ServiceUnavailable,
  UnsupportedMediaType,
  unknownAddress,
} from './house-problems.js';
import { Problem, problem } from './problem.js';

/** What a fault of ours looks like from outside; the cause is in the log under the request id. */
class InternalError extends problem(
  500,
  'InternalError',
  'The server failed to answer; the fault is recorded under this request_id',
) {}

/** Turns every failure into the one error body of the tenant API (D10). */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(@Inject(LOG) private readonly log: Log) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    if (reply.sent) return;
    const found = this.recognise(error, request);
    const retryAfter = found.facts.retryAfterSec;
    if (typeof retryAfter === 'number') void reply.header('retry-after', String(retryAfter));
    if (found instanceof MethodNotAllowed) void reply.header('allow', (found.facts.allow as string[]).join(', '));
    void reply.status(found.kind.status).type('application/json; charset=utf-8').send(bodyOf(found, request.id));
  }

  private recognise(error: unknown, request: FastifyRequest): Problem {
    if (error instanceof Problem) return error;
    if (isDatabaseUnavailable(error)) {
      this.log.warn({ request_id: request.id, error }, 'the database did not answer');
      return new ServiceUnavailable({ retryAfterSec: 1 }, 'The database is not reachable just now; try again');
    }
    const known = fromFramework(error);
    if (known) return known;
    this.log.error({ request_id: request.id, route: request.routeOptions?.url, error }, 'a request failed');
    return new InternalError({});
  }
}

/** The wire form of a problem. */
export function bodyOf(found: Problem, requestId: string): Record<string, unknown> {
  const { type, title, status, retryable } = found.kind;
  const detail = found.message || undefined;
  const code = type.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
  return {
    type,
    title,
    status,
    detail,
    message: detail ?? title,
    request_id: requestId,
    code,
    retryable,
    ...found.facts,
  };
}

/** Failures that Fastify and Nest raise before a handler runs. */
function fromFramework(error: unknown): Problem | undefined {
  const { code } = error as { code?: string };
  const status = error instanceof HttpException ? error.getStatus() : (error as { statusCode?: number }).statusCode;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE' || status === 413)
    return new PayloadTooLarge({}, 'The request body is larger than this route takes');
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE' || status === 415)
    return new UnsupportedMediaType({}, 'Send the body as content-type application/json');
  if (status === 404) return unknownAddress();
  if (status === 408) return new RequestTimeout({}, 'Send the request faster or in smaller parts');
  if (status !== undefined && status >= 400 && status < 500)
    return new MalformedRequest({}, error instanceof Error ? error.message : undefined);
  return undefined;
}
