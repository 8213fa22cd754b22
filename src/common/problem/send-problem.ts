import type { FastifyReply } from 'fastify';
import { MethodNotAllowed } from './common-problems.js';
import type { Problem } from './problem.js';

/** How a server writes its problems. */
export interface ProblemWriter {
  readonly contentType: string;
  readonly bodyOf: (found: Problem, requestId: string) => Record<string, unknown>;
}

/** Answers with a problem: status, headers and body. */
export function sendProblem(
  reply: FastifyReply,
  found: Problem,
  { contentType, bodyOf }: ProblemWriter,
  requestId: string,
): void {
  const retryAfter = found.facts.retryAfterSec;
  if (typeof retryAfter === 'number') void reply.header('retry-after', String(retryAfter));
  if (found instanceof MethodNotAllowed) void reply.header('allow', (found.facts.allow as string[]).join(', '));
  // As bytes: Fastify would add a charset to the content type of an object or of text.
  const body = Buffer.from(JSON.stringify(bodyOf(found, requestId)));
  void reply.status(found.kind.status).header('content-type', contentType).send(body);
}
