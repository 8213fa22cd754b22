import { UnsecuredJWT, type JWTPayload } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send, startApi, type Answer, type TestApi, type TestTenant } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { freePort } from '../../kit/free-port.js';
import { startTools, type TestTools } from '../../kit/tools.js';
import { IdentityProvider } from '../daemon-auth/identity-provider.js';
import { envelope, mirrored } from '../rpc/mcp-clients.js';
import { givenMember, until, type Member } from '../seats/given.js';
import { connectAs } from './signing-in.js';

let provider: IdentityProvider;
let api: TestApi;
let tools: TestTools;
let daemon: TestDaemon;
let acme: TestTenant;
const urls = { tools: '', daemon: '' };
const ENDPOINTS = ['tools', 'daemon'] as const;
type Endpoint = (typeof ENDPOINTS)[number];

beforeAll(async () => {
  // Whoever signs in by a name with a + has an address that was not verified.
  const claimsOf = (name: string) => ({ email: name, email_verified: !name.includes('+') });
  provider = await IdentityProvider.start({}, {}, { claimsOf, isOpen: true });
  const [toolsPort, mcpPort] = [String(await freePort()), String(await freePort())];
  const env = {
    ...{ SVC_OIDC_ISSUER: provider.issuer, SVC_OIDC_SCOPES: 'mcp' },
    ...{ SVCD_JWT_JWKS_COOLDOWN_SECS: '0', SVC_TOOLS_RATE_LIMIT: '0' },
  };
  api = await startApi();
  acme = api.tenant;
  daemon = await startDaemon({
    database: api.database,
    env: { ...env, SVCD_MCP_PORT: mcpPort, SVC_API_URL: api.url },
  });
  tools = await startTools(api, { env: { ...env, SVC_TOOLS_PORT: toolsPort, SVC_DAEMON_URL: daemon.url } });
  Object.assign(urls, { tools: `${tools.url}/mcp`, daemon: daemon.mcpUrl });
});
afterAll(async () => {
  await tools?.close();
  await daemon?.close();
  await api?.close();
  await provider?.goDown();
});

const now = () => Math.floor(Date.now() / 1000);
const claimsFor = (endpoint: Endpoint, email: string): JWTPayload => ({
  ...{ iss: provider.issuer, aud: urls[endpoint], sub: email, exp: now() + 600, iat: now() },
  ...{ scope: 'openid mcp', email, email_verified: true },
});
/** A listing of tools with a bearer, as it stands on the wire. */
const list = (endpoint: Endpoint, headers: Record<string, string>): Promise<Answer> => {
  const { origin, pathname } = new URL(urls[endpoint]);
  return send(origin, 'POST', pathname, envelope('tools/list'), { ...mirrored('tools/list'), ...headers });
};
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const metadataOf = (endpoint: Endpoint) => urls[endpoint].replace(/mcp$/, '.well-known/oauth-protected-resource/mcp');
const signed = async (endpoint: Endpoint, email: string, changes: JWTPayload = {}): Promise<Answer> =>
  list(endpoint, bearer(await provider.sign({ ...claimsFor(endpoint, email), ...changes })));
const challenge = ({ headers }: Answer): string => headers.get('www-authenticate') ?? '';

describe.each(ENDPOINTS)('at the MCP endpoint of %s', (endpoint) => {
  let member: Member;
  beforeAll(async () => {
    member = await givenMember(api.url, acme, 'member');
  });

  it('the metadata says who issues tokens, at both addresses', async () => {
    const { origin } = new URL(urls[endpoint]);
    for (const path of ['', '/mcp']) {
      const answer = await send(origin, 'GET', `/.well-known/oauth-protected-resource${path}`);
      expect([answer.status, answer.body]).toEqual([
        200,
        {
          resource: urls[endpoint],
          authorization_servers: [provider.issuer],
          bearer_methods_supported: ['header'],
          scopes_supported: ['mcp'],
          resource_name: 'svc',
        },
      ]);
    }
  });

  it('the official client is led to the provider, signs in, lists the tools and calls them as the seat', async () => {
    const { client, asked } = await connectAs(urls[endpoint], member.email);
    expect(Object.fromEntries(asked.searchParams)).toMatchObject({
      resource: urls[endpoint],
      scope: 'mcp',
      code_challenge_method: 'S256',
      response_type: 'code',
    });
    const listed = await client.listTools();
    expect(listed.tools.map(({ name }) => name)).toContain('remember');
    const entity = `sign-in:${endpoint}`;
    const written = await client.callTool({ name: 'remember', arguments: { entity, key: 'by', value: endpoint } });
    expect(written.isError).toBeFalsy();
    const document = { title: 'Sign-in', content: `by ${endpoint}`, doc_id: `sign-in/${endpoint}` };
    const ingested = await client.callTool({ name: 'ingest', arguments: document });
    expect([ingested.isError ?? false, ingested.content]).toEqual([false, expect.anything()]);
    // Documents are the API's, facts the daemon's.
    for (const place of ['documents', 'facts']) {
      const found = await client.callTool({ name: 'search', arguments: { query: `by ${endpoint}`, in: place } });
      expect([place, found.isError ?? false, found.content]).toEqual([place, false, expect.anything()]);
    }
    await client.close();
    const rows = await api.database.query<{ principal: string }>(
      'select distinct actor as principal from fact where tenant_id = $1 and entity = $2',
      [acme.tenantId, entity],
    );
    expect(rows).toEqual([{ principal: `seat:${member.seatId}` }]);
  });

  it('without a credential it says where to sign in, and a key goes on as before', async () => {
    const refused = await list(endpoint, {});
    expect([refused.status, challenge(refused)]).toEqual([
      401,
      `Bearer realm="svc", scope="mcp", resource_metadata="${metadataOf(endpoint)}"`,
    ]);
    const { tenantId, apiKey } = acme;
    expect((await list(endpoint, { 'x-tenant-id': tenantId, 'x-api-key': apiKey })).status).toBe(200);
  });

  it.each([
    ['another audience', { aud: 'https://elsewhere.example/mcp' }, 'another audience'],
    ['the other endpoint', { aud: 'other' }, 'another audience'],
    ['no audience', { aud: undefined }, 'another audience'],
    ['another issuer', { iss: 'https://elsewhere.example' }, 'another issuer'],
    ['the past', { exp: 1_700_000_000 }, 'expired'],
    ['no end', { exp: undefined }, 'no exp'],
    ['the future', { nbf: 4_000_000_000 }, 'not valid yet'],
  ])('a token for %s is not valid', async (_, changes, reason) => {
    const other = urls[endpoint === 'tools' ? 'daemon' : 'tools'];
    const answer = await signed(
      endpoint,
      member.email,
      'aud' in changes && changes.aud === 'other' ? { aud: other } : changes,
    );
    expect([answer.status, challenge(answer)]).toEqual([
      401,
      expect.stringMatching(
        new RegExp(`error="invalid_token".*${reason}.*resource_metadata="${metadataOf(endpoint)}"`),
      ),
    ]);
  });

  it('a token that nobody signed, or of a key that is not among those of the issuer, is not valid', async () => {
    const unsigned = new UnsecuredJWT(claimsFor(endpoint, member.email)).encode();
    const elsewhere = await IdentityProvider.start({});
    const foreign = await elsewhere.sign(claimsFor(endpoint, member.email));
    await elsewhere.goDown();
    for (const token of [unsigned, foreign]) {
      const answer = await list(endpoint, bearer(token));
      expect([answer.status, challenge(answer)]).toEqual([401, expect.stringContaining('error="invalid_token"')]);
    }
  });

  it('keys may rotate', async () => {
    const before = await provider.sign(claimsFor(endpoint, member.email));
    await provider.rotate();
    expect((await signed(endpoint, member.email)).status).toBe(200);
    expect((await list(endpoint, bearer(before))).status).toBe(200);
  });

  it('a token without a scope that is asked for is refused with that scope', async () => {
    const answer = await signed(endpoint, member.email, { scope: 'openid' });
    expect([answer.status, challenge(answer)]).toEqual([
      403,
      `Bearer realm="svc", error="insufficient_scope", scope="mcp", resource_metadata="${metadataOf(endpoint)}"`,
    ]);
    expect((await signed(endpoint, member.email, { scope: undefined, scp: ['mcp'] })).status).toBe(200);
  });

  it('a person without a seat, or whose address nobody verified, is refused with the remedy', async () => {
    const unknown = await signed(endpoint, 'nobody@example.org');
    expect([unknown.status, unknown.body.detail]).toEqual([403, expect.stringContaining('POST /v1/org/invite')]);
    for (const changes of [{ email_verified: false }, { email_verified: 'true' }, { email: undefined }]) {
      const answer = await signed(endpoint, member.email, changes);
      expect([answer.status, answer.body.detail]).toEqual([403, expect.stringContaining('email_verified')]);
    }
  });

  it('a seat of another tenant opens nothing in this one', async () => {
    const other = await api.addTenant(`other-${endpoint}`);
    const token = await provider.sign(claimsFor(endpoint, member.email));
    const answer = await list(endpoint, { ...bearer(token), 'x-tenant-id': other.tenantId });
    expect([answer.status, answer.body.detail]).toEqual([403, expect.stringContaining('no seat in this tenant')]);
  });

  it('does what its role may, and no more', async () => {
    const viewer = await givenMember(api.url, acme, 'viewer');
    const { client } = await connectAs(urls[endpoint], viewer.email);
    const written = await client.callTool({ name: 'remember', arguments: { entity: 'a', key: 'b', value: 'c' } });
    expect([written.isError, JSON.stringify(written.content)]).toEqual([
      true,
      expect.stringMatching(/Forbidden|facts:write/),
    ]);
    await client.close();
  });

  it('ends with its seat', async () => {
    const leaver = await givenMember(api.url, acme, 'member');
    const { client, token } = await connectAs(urls[endpoint], leaver.email);
    expect((await list(endpoint, bearer(token))).status).toBe(200);
    const removed = await acme.call('DELETE', `/v1/org/seats/${leaver.seatId}`);
    expect(removed.status).toBeLessThan(300);
    await until(async () => (await list(endpoint, bearer(token))).status === 403);
    await expect(client.listTools({}, { cacheMode: 'refresh' })).rejects.toThrow();
    await client.close();
  });
});

it('nothing of it is there where no issuer is set', async () => {
  const [plain, silent] = [await startTools(api), await startDaemon({ database: api.database })];
  const token = await provider.sign(claimsFor('tools', 'somebody@example.org'));
  const mcp = new URL(silent.mcpUrl).origin;
  try {
    for (const url of [plain.url, mcp])
      for (const path of ['', '/mcp'])
        expect((await send(url, 'GET', `/.well-known/oauth-protected-resource${path}`)).status).toBe(404);
    const asked = [envelope('tools/list'), { ...mirrored('tools/list'), ...bearer(token) }] as const;
    const refused = await send(plain.url, 'POST', '/mcp', ...asked);
    expect([refused.status, challenge(refused)]).toEqual([401, 'Bearer']);
    expect((await send(mcp, 'POST', '/mcp', ...asked)).status).toBe(200);
  } finally {
    await plain.close();
    await silent.close();
  }
});
