import { client as api } from '../generated/api/client.gen.ts';
import { client as daemon } from '../generated/daemon/client.gen.ts';
import { API_URL, DAEMON_URL } from './addresses.ts';
import { endSignIn, hasEnded, identityNow, type Identity } from './identity.ts';

/** What a request of the daemon bears, by the mode of its authentication (memory-daemon.md 5.1). */
function credentialsOf(identity: Identity): Record<string, string> {
  switch (identity.kind) {
    case 'token':
      return { authorization: `Bearer ${identity.token}` };
    case 'dev_scopes':
      return { 'x-svc-scopes': identity.scopes, 'x-svc-tenant-id': identity.tenant };
    case 'off':
      return { 'x-svc-tenant-id': identity.tenant };
    case 'session':
      return {};
  }
}

/** While the sign-in has ended nothing is asked: it would be refused, again and again. */
const REFUSED = () => new Response('{"title":"Signed out","detail":"Sign in again."}', { status: 401 });

async function send(request: Request): Promise<Response> {
  if (hasEnded()) return REFUSED();
  const identity = identityNow();
  for (const [name, value] of Object.entries(identity ? credentialsOf(identity) : {})) request.headers.set(name, value);
  const response = await fetch(request);
  if (response.status === 401 && identityNow() === identity)
    endSignIn('The server does not accept this sign-in. What you typed is kept.');
  return response;
}

async function sendToApi(request: Request): Promise<Response> {
  // Signing in is of the API, too.
  if (hasEnded() && request.method === 'GET') return REFUSED();
  // One intention, one key: the tenant API answers a repeat as it answered the first (D9).
  if (request.method !== 'GET') request.headers.set('x-idempotency-key', crypto.randomUUID());
  const response = await fetch(request);
  if (response.status === 401 && identityNow()?.kind === 'session')
    endSignIn('The session has ended. What you typed is kept.');
  return response;
}

const fetchOf = (work: (request: Request) => Promise<Response>) => work as unknown as typeof fetch;

export function configureClients(): void {
  daemon.setConfig({ baseUrl: DAEMON_URL, fetch: fetchOf(send), credentials: 'same-origin' });
  api.setConfig({ baseUrl: API_URL, fetch: fetchOf(sendToApi), credentials: 'same-origin' });
}
