import { Catch, HttpException, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { routeOf } from '../contract/contract.js';
import { isDatabaseUnavailable } from '../database/unavailable.js';
import { LOG, type Log } from '../observability/log.js';
import { bodyTooLarge } from './body-too-large.js';
import {
  MalformedRequest,
  type PayloadTooLarge,
  RequestTimeout,
  Unauthorized,
  UnsupportedMediaType,
  databaseUnavailable,
  unknownAddress,
} from './common-problems.js';
import { Problem, problem } from './problem.js';
import { sendProblem, type ProblemWriter } from './send-problem.js';

/** What an internal error looks like to the client; the cause is in the log under the request id. */
export class InternalError extends problem(
  500,
  'InternalError',
  'The server failed to answer; the error is recorded under this request_id',
) {}

/**
 * Turns every failure into the one error body of its server: that of the tenant API (D10) unless a subclass has another
 * form.
 */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  protected readonly form: ProblemWriter = TENANT_API_PROBLEMS;

  constructor(@Inject(LOG) private readonly log: Log) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    if (reply.sent || isCutOff(request)) return;
    const found = this.recognise(error, request);
    if (found instanceof Unauthorized && takesBearerKeys(request) && !reply.hasHeader('www-authenticate'))
      void reply.header('www-authenticate', 'Bearer');
    sendProblem(reply, found, this.form, request.id);
  }

  /** What is said of a body that passed the bound of its route while it came in. */
  protected tooLarge(request: FastifyRequest): PayloadTooLarge {
    return bodyTooLarge(request);
  }

  private recognise(error: unknown, request: FastifyRequest): Problem {
    if (error instanceof Problem) return error;
    if (isDatabaseUnavailable(error)) {
      this.log.warn({ request_id: request.id, error }, 'the database did not answer');
      return databaseUnavailable();
    }
    const known = this.fromFramework(error, request);
    if (known) return known;
    this.log.error({ request_id: request.id, route: request.routeOptions?.url, error }, 'a request failed');
    return new InternalError({});
  }

  /** Failures that Fastify and Nest raise before a handler runs. */
  private fromFramework(error: unknown, request: FastifyRequest): Problem | undefined {
    const status = statusOf(error);
    if (status === 413) return this.tooLarge(request);
    if (status === 415) return new UnsupportedMediaType({}, 'Send the body as content-type application/json');
    if (status === 404) return unknownAddress();
    if (status === 408) return new RequestTimeout({}, 'Send the request faster or in smaller parts');
    if (status !== undefined && status >= 400 && status < 500)
      return new MalformedRequest({}, error instanceof Error ? error.message : undefined);
    return undefined;
  }
}

/** Whether a client without a credential is asked for one (RFC 6750, section 3): MCP clients look for that. */
function takesBearerKeys(request: FastifyRequest): boolean {
  const access = routeOf(request)?.access;
  return access?.kind === 'tool' && access.bearerKeys === true;
}

/** A status that some client library put on its error says nothing of this request. */
function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  const { code, statusCode } = (error ?? {}) as { code?: unknown; statusCode?: number };
  return typeof code === 'string' && code.startsWith('FST_') ? statusCode : undefined;
}

/** The client went away before its body was whole: there is nobody to answer, and nothing failed in the server. */
const isCutOff = ({ raw }: FastifyRequest): boolean => raw.destroyed && !raw.complete;

/** The wire form of a problem of the tenant API. */
export function bodyOf(found: Problem, requestId: string): Record<string, unknown> {
  const { type, title, status } = found.kind;
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
    retryable: found.retryable,
    ...found.facts,
  };
}

export const TENANT_API_PROBLEMS: ProblemWriter = { contentType: 'application/json; charset=utf-8', bodyOf };
