import type { FastifyRequest } from 'fastify';
import { PASSPORT_HEADER } from '../bearer-auth/caller-headers.js';
import { PASSPORT } from '../fields/passport.js';
import { InvalidPassportHeader } from '../problem/daemon-problems.js';

/** Before anything else: a passport that cannot be one is refused (memory-daemon.md 5.2). */
export function checkPassportHeader({ headers }: FastifyRequest): void {
  const sent = headers[PASSPORT_HEADER];
  if (sent === undefined || (typeof sent === 'string' && PASSPORT.test(sent))) return;
  throw new InvalidPassportHeader(
    {},
    'X-Svc-Passport-Id is 1 to 128 ASCII letters, digits, dots, underscores, colons or hyphens',
  );
}
