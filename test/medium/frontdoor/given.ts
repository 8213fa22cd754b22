import { Sessions } from '../../../src/common/sessions/sessions.js';
import type { SeatRole } from '../../../src/common/contract/contract.js';
import { Tenancy } from '../../../src/common/tenancy/tenancy.js';
import { send, type Answer, type TestApi, type TestTenant } from '../../kit/app.js';

/** A browser with a session: sends the cookie, and says where it comes from. */
export interface Browser {
  cookie: string;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

export const browser = (url: string, cookie: string): Browser => ({
  cookie,
  call: (method, path, body, headers = {}) =>
    send(url, method, path, body, {
      cookie,
      ...(method === 'GET' ? {} : { 'sec-fetch-site': 'same-origin', 'x-idempotency-key': crypto.randomUUID() }),
      ...headers,
    }),
});

/** The cookie that an answer sets, as a browser sends it back. */
export const cookieOf = ({ headers }: Answer): string => headers.getSetCookie()[0]!.split(';')[0]!;

export const connect = (url: string, tenantId: string, apiKey: string, headers: Record<string, string> = {}) =>
  send(url, 'POST', '/frontdoor/auth/connect', { tenantId, apiKey }, headers);

/** A browser signed in with the tenant's key. */
export async function signIn(api: { url: string }, { tenantId, apiKey }: TestTenant): Promise<Browser> {
  const answer = await connect(api.url, tenantId, apiKey);
  if (answer.status !== 200) throw new Error(`connect answered ${answer.status}: ${answer.text}`);
  return browser(api.url, cookieOf(answer));
}

/** A browser signed in as an active seat with that role. */
export async function givenSeat(
  api: TestApi,
  tenantId: string,
  role: SeatRole,
): Promise<Browser & { seatId: string; email: string }> {
  const seatId = crypto.randomUUID();
  const email = `${role}-${seatId.slice(0, 8)}@example.org`;
  await api.database.query(
    `insert into seat (tenant_id, seat_id, user_email, role, status, accepted_at) values ($1, $2, $3, $4, 'active', now())`,
    [tenantId, seatId, email, role],
  );
  const { cookie } = await api.app
    .get(Tenancy)
    .run(tenantId, () => api.app.get(Sessions).open({ authType: 'seat', seatId }));
  return { ...browser(api.url, `svc_session=${cookie}`), seatId, email };
}
