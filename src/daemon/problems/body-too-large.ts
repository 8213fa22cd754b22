import type { FastifyRequest } from 'fastify';
import type { Address } from '../../common/contract/contract.js';
import { PayloadTooLarge } from '../../common/problem/house-problems.js';
import { DAEMON_ROUTES } from '../contract/daemon-contract.js';

/**
 * What is answered to a body past the bound of its route, with the caps that the route declares besides.
 * @param general the bound of routes that name none (SVCD_MAX_REQUEST_BODY_BYTES)
 */
export function bodyTooLarge({ method, routeOptions }: FastifyRequest, general: number): PayloadTooLarge {
  const limitBytes = routeOptions.bodyLimit;
  const detail =
    limitBytes === general
      ? `The body is larger than ${limitBytes} bytes; SVCD_MAX_REQUEST_BODY_BYTES sets this bound`
      : `The body is larger than the ${limitBytes} bytes that this route takes; send less at once`;
  const caps = DAEMON_ROUTES.get(`${method} ${routeOptions.url}` as Address)?.caps;
  return new PayloadTooLarge({ limitBytes, ...caps }, detail);
}
