import type { IncomingMessage } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { UnsupportedMediaType } from '../problem/common-problems.js';
import type { BodyBudget } from './body-budget.js';
import { readChecked } from './checked-body.js';

const BYTES = 'application/octet-stream';

/** Bytes are read where a route takes a body of any content type, and refused unread everywhere else. */
export function readBytes(fastify: FastifyInstance, bodies: BodyBudget): void {
  fastify.addContentTypeParser(BYTES, (request: FastifyRequest, payload: IncomingMessage) =>
    readChecked(bodies, request, payload),
  );
  fastify.addHook('preParsing', (request, _reply, _payload, done) => {
    const taken = request.routeOptions.config.body === 'any';
    if (taken) request.headers['content-type'] = BYTES;
    const isBytes = request.headers['content-type']?.trim().toLowerCase().startsWith(BYTES) ?? false;
    done(isBytes && !taken ? new UnsupportedMediaType({}, 'Send the body as content-type application/json') : null);
  });
}

/** The bytes of the body, of a route whose `body` is `bytes` or `any`. */
export const RawBody = createParamDecorator((_: unknown, context: ExecutionContext): Buffer => {
  const { body } = context.switchToHttp().getRequest<FastifyRequest>();
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
});
