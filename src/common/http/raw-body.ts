import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Address } from '../contract/contract.js';
import { UnsupportedMediaType } from '../problem/house-problems.js';

/** Addresses whose JSON body is handed over as the bytes that came in; read by the HTTP server. */
export const RAW_BODIES = new Set<string>();

/** The handler of this address takes the bytes of the body, uninterpreted: what a signature was made over. */
export const KeepsRawBody =
  (address: Address): MethodDecorator =>
  () =>
    void RAW_BODIES.add(address);

/** Addresses that take a body of any content type as bytes. */
const ANY_BODIES = new Set<string>();
const BYTES = 'application/octet-stream';

/** The handler of this address takes whatever comes as bytes, and finds out by them what they are. */
export const TakesAnyBody =
  (address: Address): MethodDecorator =>
  () =>
    void ANY_BODIES.add(address);

/** Bytes are read where they are taken, and refused unread everywhere else. */
export function readBytes(fastify: FastifyInstance): void {
  fastify.addContentTypeParser(BYTES, { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  fastify.addHook('preParsing', (request, _reply, _payload, done) => {
    const taken = ANY_BODIES.has(`${request.method} ${request.routeOptions.url}`);
    if (taken) request.headers['content-type'] = BYTES;
    const isBytes = request.headers['content-type']?.trim().toLowerCase().startsWith(BYTES) ?? false;
    done(isBytes && !taken ? new UnsupportedMediaType({}, 'Send the body as content-type application/json') : null);
  });
}

/** The bytes of the body, of a handler that {@link KeepsRawBody}. */
export const RawBody = createParamDecorator((_: unknown, context: ExecutionContext): Buffer => {
  const { body } = context.switchToHttp().getRequest<FastifyRequest>();
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
});
