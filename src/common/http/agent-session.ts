import type { FastifyRequest } from 'fastify';
import { headerOf } from './headers.js';
import { invalid } from '../problem/common-problems.js';

/** Names the run of an agent that a request belongs to: the receipts of what it does bear it. */
export const SESSION_HEADER = 'x-svc-session-id';

/** As a passport is written. No comma: Node.js joins a header that came twice with one. */
const SESSION = /^[A-Za-z0-9._:-]{1,128}$/;

/** The session that a request names. @throws ValidationFailed for what cannot be one */
export const agentSessionIn = (request: FastifyRequest): string | undefined =>
  checkedSession(headerOf(request, SESSION_HEADER));

/** @throws ValidationFailed for what cannot be a session */
export function checkedSession(sent: string | undefined): string | undefined {
  if (sent === undefined || SESSION.test(sent)) return sent;
  throw invalid(
    `headers.${SESSION_HEADER}`,
    'is 1 to 128 ASCII letters, digits, dots, underscores, colons or hyphens, sent once; leave it out for no session',
  );
}
