import { createPublicKey } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fromAnotherAddress, send, startApi, type Answer, type TestApi, type TestTenant } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { freePort } from '../../kit/free-port.js';
import { startTools, type TestTools } from '../../kit/tools.js';
import { AUDIENCE, claims, forged, hs256, HS256_ENV } from '../daemon-auth/given.js';
import { IdentityProvider } from '../daemon-auth/identity-provider.js';
import { envelope, mirrored } from '../rpc/mcp-clients.js';
import { accept, until } from '../seats/given.js';

const EMAIL = 'ada@example.org';
let provider: IdentityProvider;
let api: TestApi;
let other: TestTenant;
let running: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  provider = await IdentityProvider.start({});
  api = await startApi();
  other = await api.addTenant('other');
  for (const tenant of [api.tenant, other]) {
    const invited = await tenant.call('POST', '/v1/org/invite', { email: EMAIL, role: 'member' });
    await accept(api.url, invited.body.inviteToken);
  }
});
afterEach(async () => {
  for (const one of running) await one.close();
  running = [];
});
afterAll(async () => {
  await api?.close();
  await provider?.goDown();
});

async function openTools(env: Record<string, string> = {}): Promise<TestTools> {
  const port = await freePort();
  const settings = { SVC_OIDC_ISSUER: provider.issuer, SVC_TOOLS_PORT: String(port), SVC_TRUSTED_PROXIES: '127.0.0.1' };
  const tools = await startTools(api, { env: { ...settings, ...env } });
  running.push(tools);
  return tools;
}

async function openDaemon(env: Record<string, string> = {}): Promise<TestDaemon> {
  const port = await freePort();
  const settings = { SVC_OIDC_ISSUER: provider.issuer, SVCD_MCP_PORT: String(port), SVC_API_URL: api.url };
  const daemon = await startDaemon({ database: api.database, env: { ...settings, ...env } });
  running.push(daemon);
  return daemon;
}

const claimsAt = (mcpUrl: string): JWTPayload => ({
  ...{ iss: provider.issuer, aud: mcpUrl, sub: 'ada', exp: Math.floor(Date.now() / 1000) + 600 },
  ...{ email: EMAIL, email_verified: true },
});
const post = (mcpUrl: string, token: string, headers: Record<string, string> = {}): Promise<Answer> =>
  send(new URL(mcpUrl).origin, 'POST', '/mcp', envelope('tools/list'), {
    ...{ ...mirrored('tools/list'), authorization: `Bearer ${token}` },
    ...headers,
  });
const ask = async (mcpUrl: string, changes: JWTPayload, headers?: Record<string, string>): Promise<unknown[]> => {
  const { status, body } = await post(mcpUrl, await provider.sign({ ...claimsAt(mcpUrl), ...changes }), headers);
  return status === 200 ? [200] : [status, body.detail];
};
const REFUSED = (text: string) => [403, expect.stringContaining(text)];

describe('a person with seats in several tenants', () => {
  it('names one by the header', async () => {
    const { url } = await openTools();
    expect(await ask(`${url}/mcp`, {})).toEqual(REFUSED('send x-tenant-id'));
    for (const tenantId of [api.tenant.tenantId, 'other'])
      expect(await ask(`${url}/mcp`, {}, { 'x-tenant-id': tenantId })).toEqual([200]);
    expect(await ask(`${url}/mcp`, {}, { 'x-tenant-id': 'nowhere' })).toEqual(REFUSED('no seat in this tenant'));
  });

  it('is in the one that a claim names, where the settings say which claim', async () => {
    const { url } = await openTools({ SVC_OIDC_TENANT_CLAIM: 'org' });
    expect(await ask(`${url}/mcp`, { org: 'other' })).toEqual([200]);
    expect(await ask(`${url}/mcp`, { org: 'other' }, { 'x-tenant-id': 'other' })).toEqual([200]);
    expect(await ask(`${url}/mcp`, { org: 'other' }, { 'x-tenant-id': api.tenant.tenantId })).toEqual(
      REFUSED('another tenant'),
    );
    expect(await ask(`${url}/mcp`, { org: 'nowhere' })).toEqual(REFUSED('no seat in this tenant'));
    expect(await ask(`${url}/mcp`, {}, { 'x-tenant-id': 'other' })).toEqual(REFUSED('no claim org'));
  });

  it('is not let into one that is suspended', async () => {
    const { url } = await openTools();
    await api.database.query("update tenant set state = 'suspended' where tenant_id = 'other'");
    await until(async () => (await ask(`${url}/mcp`, {}))[0] === 200);
    expect(await ask(`${url}/mcp`, {}, { 'x-tenant-id': 'other' })).toEqual([
      401,
      expect.stringContaining('suspended'),
    ]);
    await api.database.query("update tenant set state = 'active' where tenant_id = 'other'");
  });
});

it('a claim of its own, an audience of its own: whatever else the token says', async () => {
  const { url } = await openTools({
    ...{ SVC_OIDC_PERSON_CLAIM: 'upn', SVC_OIDC_AUDIENCE: 'svc-api', SVC_TOOLS_PUBLIC_URL: 'https://svc.example.org' },
  });
  const tenant = { 'x-tenant-id': 'other' };
  expect(await ask(`${url}/mcp`, { aud: 'svc-api', upn: 'Ada@Example.org', email: undefined }, tenant)).toEqual([200]);
  expect(await ask(`${url}/mcp`, { aud: 'svc-api' }, tenant)).toEqual(REFUSED('the claim upn'));
  expect((await ask(`${url}/mcp`, { upn: EMAIL, aud: 'https://svc.example.org/mcp' }, tenant))[0]).toBe(401);
  const metadata = await send(url, 'GET', '/.well-known/oauth-protected-resource');
  expect(metadata.body.resource).toBe('https://svc.example.org/mcp');
});

it('a token that the public key of the issuer signed as a secret is not valid', async () => {
  const { url } = await openTools();
  const mcpUrl = `${url}/mcp`;
  const { keys } = (await (await fetch(provider.jwksUrl)).json()) as { keys: { kid: string }[] };
  const pem = createPublicKey({ key: keys[0] as never, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
  const token = forged({ alg: 'HS256', kid: keys[0]!.kid, typ: 'JWT' }, claimsAt(mcpUrl), pem);
  const answer = await post(mcpUrl, token);
  expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
    401,
    expect.stringContaining('algorithm of the token is not accepted'),
  ]);
});

it('whoever guesses tokens is slowed down, and a valid one is let in', async () => {
  const mcpUrls = [
    `${(await openTools()).url}/mcp`,
    (await openDaemon({ SVCD_TRUSTED_PROXY_CIDRS: '127.0.0.1' })).mcpUrl,
  ];
  for (const mcpUrl of mcpUrls) {
    const address = fromAnotherAddress();
    const guess = async () =>
      (await post(mcpUrl, forged({ alg: 'RS256', kid: 'k' }, claimsAt(mcpUrl)), address)).status;
    for (let guesses = 0; (await guess()) !== 429; guesses++) expect(guesses).toBeLessThan(30);
    expect(await ask(mcpUrl, {}, { ...address, 'x-tenant-id': 'other' })).toEqual([200]);
  }
});

it('a daemon in a mode of tokens takes those of the mode as before, and persons at its MCP endpoint', async () => {
  const daemon = await openDaemon(HS256_ENV);
  const own = await hs256(claims({ tenant_id: 'other', scope: 'query:read facts:read' }));
  expect((await post(daemon.mcpUrl, own)).status).toBe(200);
  expect((await daemon.as({ bearer: own })('GET', '/v1/facts/list')).status).toBe(200);
  expect(await ask(daemon.mcpUrl, {}, { 'x-tenant-id': 'other' })).toEqual([200]);
  // Whatever is not for the endpoint is the mode's to refuse.
  const answer = await post(daemon.mcpUrl, await provider.sign({ ...claimsAt(daemon.mcpUrl), aud: AUDIENCE }));
  expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
    401,
    expect.stringContaining('algorithm of the token is not accepted; accepted: HS256'),
  ]);
});

it('nobody says in a header who they are', async () => {
  const daemon = await openDaemon(HS256_ENV);
  const said = Buffer.from(
    JSON.stringify([{ tenantId: 'other', principal: 'seat:x', role: 'owner' }, Date.now() + 60_000]),
  ).toString('base64url');
  for (const header of [said, `${said}.${'A'.repeat(43)}`, `${said}.`]) {
    const answer = await send(daemon.url, 'GET', '/v1/facts/list', undefined, { 'x-svc-delegated-caller': header });
    expect(answer.status).toBe(401);
  }
});
