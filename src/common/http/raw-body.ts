import type { IncomingMessage } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { UnsupportedMediaType } from '../problem/common-problems.js';
import type { BodyBudget } from './body-budget.js';
import { checkCoding, readChecked } from './checked-body.js';
import { hasBody } from './headers.js';
import { readUpload } from './uploaded-file.js';

const BYTES = 'application/octet-stream';

/**
 * Bytes are read where a route takes a body of any content type, and refused unread everywhere else. A content type
 * without a body says nothing: some clients send theirs with every request. Routes of `bytes` look at it themselves.
 */
export function readBytes(fastify: FastifyInstance, bodies: BodyBudget): void {
  const stated = new WeakMap<IncomingMessage, string>();
  fastify.addContentTypeParser(BYTES, async (request: FastifyRequest, payload: IncomingMessage) => {
    const body = await readChecked(bodies, request, payload);
    if (request.routeOptions.config.body !== 'file') return body;
    checkCoding(request);
    return readUpload(body, stated.get(request.raw));
  });
  fastify.addHook('preParsing', (request, _reply, _payload, done) => {
    const { body } = request.routeOptions.config;
    const taken = body === 'any' || body === 'file';
    const contentType = request.headers['content-type'];
    if (body === 'file' && contentType !== undefined) stated.set(request.raw, contentType);
    if (taken) request.headers['content-type'] = BYTES;
    else if (body !== 'bytes' && !hasBody(request)) delete request.headers['content-type'];
    const isBytes = request.headers['content-type']?.trim().toLowerCase().startsWith(BYTES) ?? false;
    done(isBytes && !taken ? new UnsupportedMediaType({}, 'Send the body as content-type application/json') : null);
  });
}

/** The bytes of the body, of a route whose `body` is `bytes` or `any`. */
export const RawBody = createParamDecorator((_: unknown, context: ExecutionContext): Buffer => {
  const { body } = context.switchToHttp().getRequest<FastifyRequest>();
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
});
