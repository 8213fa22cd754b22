import { decode } from 'cborg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { send, startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { startTools, type TestTools } from '../../kit/tools.js';
import { connect } from '../rpc/mcp-clients.js';

let api: TestApi;
let tools: TestTools;
let daemon: TestDaemon;
let acme: TestTenant;
let umbrella: TestTenant;
beforeAll(async () => {
  api = await startApi();
  tools = await startTools(api);
  daemon = await startDaemon({ database: api.database });
  acme = api.tenant;
  umbrella = await api.addTenant('umbrella');
});
afterAll(async () => {
  await daemon.close();
  await tools.close();
  await api.close();
});

const naming = (session: string) => ({ 'x-svc-session-id': session });
const append = (tenant: TestTenant, session?: string) =>
  daemon.call(
    'POST',
    '/v1/append',
    { tenant_id: tenant.tenantId, stream_type: 'order', stream_id: 'one', events: [{ type: 'paid', payload: {} }] },
    session === undefined ? {} : naming(session),
  );
const ingest = ({ tenantId, call }: TestTenant, session: string) => {
  const document = { docId: 'leave', title: 'Leave', content: 'Staff have thirty days of leave.' };
  const all = { tenantId, corpusId: 'handbook', ...document, url: 'https://example.org/' };
  return call('POST', '/v1/ingest', all, naming(session));
};
/** The kinds that a tenant's receipts of a session have, in the order of the list. */
async function kindsOf({ tenantId }: TestTenant, session: string): Promise<string[]> {
  const query = new URLSearchParams({ tenant_id: tenantId, session });
  const { status, body } = await daemon.call('GET', `/v1/receipts/list?${query.toString()}`);
  expect(status).toBe(200);
  const rows = body.rows as { kind: string; session: string }[];
  expect([body.matched, new Set(rows.map((row) => row.session))]).toEqual([
    rows.length,
    new Set(rows.length > 0 ? [session] : []),
  ]);
  return rows.map(({ kind }) => kind);
}

it('receipts bear the session that the request named, signed with what they say, and are listed by it', async () => {
  const { body } = await append(acme, 'run-1');
  expect(await kindsOf(acme, 'run-1')).toEqual(['stream.appended']);
  const receipt = await fetch(`${daemon.url}/v1/receipts/${body.receipt_id}?tenant_id=${acme.tenantId}`, {
    headers: { accept: 'application/cbor', 'x-svc-scopes': 'receipts:read' },
  });
  const payload = decode(new Uint8Array(await receipt.arrayBuffer())) as { body: object };
  expect(payload.body).toMatchObject({ session_id: 'run-1', stream_id: 'one' });
  const verified = await daemon.call('GET', `/v1/receipts/${body.receipt_id}/verification?tenant_id=${acme.tenantId}`);
  expect(verified.body.signature_valid).toBe(true);
});

it('one session reaches over all three apps', async () => {
  const session = crypto.randomUUID();
  expect((await ingest(acme, session)).status).toBe(202);
  const query = { query: 'leave', lane: 'verified' };
  expect((await acme.call('POST', '/v1/retrieve', query, naming(session))).status).toBe(200);
  expect((await append(acme, session)).status).toBe(200);
  const mcp = await connect(tools.url, acme, { headers: naming(session) });
  await mcp.callTool({ name: 'query_vault', arguments: { query: 'days', lane: 'verified' } });
  await mcp.close();
  expect((await kindsOf(acme, session)).sort()).toEqual([
    'ingest.accepted',
    'retrieval',
    'retrieval',
    'stream.appended',
  ]);
});

it('a session of one name is another one in another tenant', async () => {
  await append(acme, 'shared');
  await append(umbrella, 'shared');
  await ingest(umbrella, 'shared');
  expect(await kindsOf(acme, 'shared')).toEqual(['stream.appended']);
  expect((await kindsOf(umbrella, 'shared')).sort()).toEqual(['ingest.accepted', 'stream.appended']);
});

it('a receipt of a request that names no session has none', async () => {
  const { body } = await append(acme);
  const list = await daemon.call('GET', `/v1/receipts/list?tenant_id=${acme.tenantId}&kind=stream.appended`);
  const row = list.body.rows.find((one: { receipt_id: string }) => one.receipt_id === body.receipt_id);
  expect(row.session).toBeNull();
});

it.each(['two words', 'a,b', 'x'.repeat(129), 'ä', "';--"])('%j is no session, by any way', async (session) => {
  const message = expect.stringContaining('1 to 128 ASCII letters, digits, dots, underscores, colons or hyphens');
  const issues = [{ path: 'headers.x-svc-session-id', message }];
  const headers = naming(Buffer.from(session).toString('latin1'));
  const [byDaemon, byApi] = [
    await daemon.call('GET', '/v1/facts/list', undefined, headers),
    await acme.call('GET', '/v1/corpora', undefined, headers),
  ];
  const call = { jsonrpc: '2.0', id: 1, method: 'query_vault', params: { query: 'days' } };
  const credential = { 'x-tenant-id': acme.tenantId, 'x-api-key': acme.apiKey };
  const byTools = await send(tools.url, 'POST', '/rpc', call, { ...credential, ...headers });
  expect([byDaemon.status, byApi.status, byTools.status]).toEqual([400, 400, 200]);
  expect([byDaemon.body.issues, byApi.body.issues]).toEqual([issues, issues]);
  expect(byTools.body.error).toMatchObject({ code: -32602, data: { issues } });
});
