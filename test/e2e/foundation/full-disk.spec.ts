import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send, startApi, type Answer, type TestApi } from '../../kit/app.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { startTools, type TestTools } from '../../kit/tools.js';

let api: TestApi;
let tools: TestTools;
let daemon: TestDaemon;
let owner: Client;

beforeAll(async () => {
  api = await startApi();
  tools = await startTools(api);
  daemon = await startDaemon({ database: api.database });
  owner = new Client({ connectionString: api.database.url });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await daemon.close();
  await tools.close();
  await api.close();
});

/** What PostgreSQL answers, from here on, to each write of a decision, document or fact. */
async function failWith(sqlState: string): Promise<void> {
  await owner.query(`create or replace function fail_write() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file "base/1/2"' using errcode = '${sqlState}'; end $$`);
  for (const table of ['shield_decision', 'ingest', 'fact'])
    await owner.query(`create or replace trigger fail before insert on ${table} execute function fail_write()`);
}

const ingest = () =>
  api.tenant.call('POST', '/v1/ingest', {
    tenantId: 'acme',
    corpusId: 'c',
    docId: 'd',
    title: 't',
    content: 'A passage.',
    url: 'https://example.org/',
  });
const fact = () => daemon.call('PUT', '/v1/facts', { entity: 'e', key: 'k', value: 'v' });
const tip = () =>
  send(
    tools.url,
    'POST',
    '/rpc',
    { jsonrpc: '2.0', id: 1, method: 'tip_platform', params: { agent_id: 'a', credits: 1 } },
    { 'x-tenant-id': 'acme', 'x-api-key': api.tenant.apiKey, 'x-idempotency-key': crypto.randomUUID() },
  );

const retryOf = ({ status, headers, body }: Answer) => [status, headers.get('retry-after'), body.retryable];

describe('a write that the database cannot make for lack of resources', () => {
  it.each([
    ['a full disk', '53100'],
    ['no memory', '53200'],
    ['an operator', '57000'],
    ['a disk that fails', '58030'],
  ])('%s: every app says that another try may succeed', async (_, sqlState) => {
    await failWith(sqlState);
    expect(retryOf(await ingest())).toEqual([503, '1', true]);
    expect(retryOf(await fact())).toEqual([503, '1', true]);
    const { body } = await tip();
    expect(body.error.data).toMatchObject({ status: 503, retryable: true });
  });

  it('answers 500 for a statement that is too complex', async () => {
    await failWith('54001');
    expect((await ingest()).status).toBe(500);
  });
});
