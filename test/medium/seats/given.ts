import { setTimeout } from 'node:timers/promises';
import { bySession, send, type Answer, type TestTenant } from '../../kit/app.js';

/** Somebody with a seat and its session, and how they call the API. */
export interface Member {
  seatId: string;
  email: string;
  role: string;
  /** `svc_session=...`, as a browser sends it. */
  cookie: string;
  call: TestTenant['call'];
}

/** The promise is a second (D7, D8); the other second is for a machine that is busy with other tests. */
export const WITHIN_MS = 2_000;

let people = 0;
export const someEmail = (name = 'person') => `${name}-${++people}@example.org`;

/** The session cookie that an answer sets, as a browser would send it back. */
export const cookieOf = ({ headers }: Answer): string => headers.get('set-cookie')?.split(';')[0] ?? '';

/** Takes an invitation up. */
export async function accept(url: string, token: string): Promise<Member> {
  const answer = await send(url, 'POST', '/v1/org/accept-invite', { token });
  if (answer.status !== 200) throw new Error(`accepting answered ${answer.status}: ${answer.text}`);
  const { seatId, seatEmail, seatRole } = answer.body;
  const cookie = cookieOf(answer);
  return { seatId, email: seatEmail, role: seatRole, cookie, call: bySession(url, cookie) };
}

/** A member of the tenant, invited and accepted through the API; an owner is made one by the tenant's key. */
export async function givenMember(url: string, tenant: TestTenant, role: string): Promise<Member> {
  const invited = await tenant.call('POST', '/v1/org/invite', {
    email: someEmail(role),
    role: role === 'owner' ? 'admin' : role,
  });
  if (invited.status !== 201) throw new Error(`inviting answered ${invited.status}: ${invited.text}`);
  if (role === 'owner') await tenant.call('PUT', `/v1/org/seats/${invited.body.seat.id}`, { role });
  return accept(url, invited.body.inviteToken);
}

/** Polls until it holds; the wait it took in milliseconds. */
export async function until(holds: () => Promise<boolean>, withinMs = 10_000): Promise<number> {
  const start = performance.now();
  while (performance.now() - start < withinMs) {
    if (await holds()) return performance.now() - start;
    await setTimeout(20);
  }
  throw new Error(`it did not come to hold within ${withinMs} ms`);
}
