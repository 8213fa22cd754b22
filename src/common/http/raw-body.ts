import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Address } from '../contract/contract.js';

/** Addresses whose JSON body is handed over as the bytes that came in; read by the HTTP server. */
export const RAW_BODIES = new Set<string>();

/** The handler of this address takes the bytes of the body, uninterpreted: what a signature was made over. */
export const KeepsRawBody =
  (address: Address): MethodDecorator =>
  () =>
    void RAW_BODIES.add(address);

/** The bytes of the body, of a handler that {@link KeepsRawBody}. */
export const RawBody = createParamDecorator((_: unknown, context: ExecutionContext): Buffer => {
  const { body } = context.switchToHttp().getRequest<FastifyRequest>();
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
});
