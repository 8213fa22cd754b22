import type { FastifyRequest } from 'fastify';
import { headerOf } from '../http/headers.js';
import { Forbidden } from '../problem/common-problems.js';

/**
 * A request with a cookie that is no GET must not come from a page of another server: browsers say where from in
 * Sec-Fetch-Site or Origin. A mutation needs one of the two (D8); what only reads, and signing out, do not.
 * @throws Forbidden
 */
export function checkSameOrigin(request: FastifyRequest, isMutation: boolean, publicUrl: string | undefined): void {
  const site = headerOf(request, 'sec-fetch-site');
  const origin = headerOf(request, 'origin');
  if (origin !== undefined && !isOwn(origin, request, publicUrl))
    throw new Forbidden({}, 'headers.origin is not this server: a session writes only from its own pages');
  if (site !== undefined && site !== 'same-origin')
    throw new Forbidden({}, 'headers.sec-fetch-site is not same-origin: a session writes only from its own pages');
  if (isMutation && origin === undefined && site === undefined)
    throw new Forbidden({}, 'A write with a session cookie needs headers.origin of this server, as browsers send it');
}

function isOwn(origin: string, request: FastifyRequest, publicUrl: string | undefined): boolean {
  if (!URL.canParse(origin)) return false;
  const { host, origin: given } = new URL(origin);
  return host === request.host || (publicUrl !== undefined && given === new URL(publicUrl).origin);
}
