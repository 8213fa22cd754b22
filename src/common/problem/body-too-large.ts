import type { FastifyRequest } from 'fastify';
import { PayloadTooLarge } from './common-problems.js';
import { routeOf } from '../contract/contract.js';

/**
 * The answer to a body past the bound of its route, with the further caps that the route declares.
 * @param general of the daemon: the bound of routes that name none (SVCD_MAX_REQUEST_BODY_BYTES)
 */
export function bodyTooLarge(request: FastifyRequest, general?: number): PayloadTooLarge {
  const limitBytes = request.routeOptions.bodyLimit;
  const detail =
    limitBytes === general
      ? `The body is larger than ${limitBytes} bytes; SVCD_MAX_REQUEST_BODY_BYTES sets this bound`
      : `The body is larger than the ${limitBytes} bytes that this route takes; send less at once`;
  const caps = routeOf(request)?.caps;
  return new PayloadTooLarge({ limitBytes, ...caps }, detail);
}
