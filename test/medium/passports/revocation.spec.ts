import { request } from 'node:http';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { ask, makePeer, type TestPeer } from '../../kit/peer.js';
import { makeItems } from '../leases/work-items.js';
import { EventStream } from '../live/event-stream.js';
import { gated, must } from '../work/given.js';

const ENV = {
  ...{ SVCD_PUNCHCARD: 'enforce', SVCD_STATUS_FEED: '1' },
  ...{ SVCD_SYNC_MUTUAL_AUTH: '1', SVCD_TRUSTED_PROXY_CIDRS: '127.0.0.1' },
};
let first: TestDaemon;
let second: TestDaemon;
beforeAll(async () => {
  first = await startDaemon({ env: ENV });
  second = await startDaemon({ env: ENV, database: first.database });
});
afterAll(async () => {
  await second.close();
  await first.close();
});

const as = (daemon: TestDaemon, passport: string, tenant = 'default'): DaemonCall =>
  daemon.as({ scopes: ALL_SCOPES, passport, tenant });
const register = (passport_id: string, tenant = 'default') =>
  must(as(first, 'lead', tenant)('POST', '/v1/passports', { passport_id }));
const revoke = (passport: string, on = first) =>
  must(as(on, 'lead')('DELETE', `/v1/passports/${passport}?reason=Lost`));
const headersOf = (passport: string, tenant = 'default') => ({
  ...{ 'x-svc-scopes': ALL_SCOPES, 'x-svc-passport-id': passport, 'x-svc-tenant-id': tenant },
});

/** A tool call over MCP, whose answer is a stream that stays open as long as the tool does. */
function callTool(daemon: TestDaemon, passport: string, name: string, args: object) {
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  const { promise: begun, resolve: begin, reject } = Promise.withResolvers<void>();
  const accept = 'application/json, text/event-stream';
  const headers = { ...headersOf(passport), 'content-type': 'application/json', accept };
  const sent = request(daemon.mcpUrl, { method: 'POST', agent: false, headers }, (answer) => {
    let text = '';
    expect(answer.headers['content-type']).toContain('text/event-stream');
    begin();
    answer.setEncoding('utf8').on('data', (part: string) => (text += part));
    answer.once('close', () => resolve(text)).on('error', () => undefined);
  });
  const params = { name, arguments: args };
  sent.once('error', reject).end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
  return { begun, ended };
}

/** Nobody of the tenant acquires a path while `work` is done. */
async function withPathsLocked(work: () => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: first.database.superuserUrl });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock(hashtextextended($1::jsonb::text, 0))', [
      JSON.stringify(['path leases', 'default']),
    ]);
    await work();
  } finally {
    await client.end();
  }
}

describe('a passport that is revoked', () => {
  it('is refused at its next request, in every process, with a type of its own, and nobody else is', async () => {
    await register('gone');
    for (const on of [first, second]) await must(as(on, 'gone')('GET', '/v1/passports'));
    await revoke('gone');
    for (const on of [first, second]) {
      await expect
        .poll(async () => (await as(on, 'gone')('GET', '/v1/passports')).body, { timeout: 20_000 })
        .toMatchObject({ status: 403, code: 'PASSPORT_REVOKED', passport_id: 'gone' });
      expect((await as(on, 'gone')('GET', '/v1/facts?q=x')).status).toBe(403);
      expect((await as(on, 'lead')('GET', '/v1/passports')).status).toBe(200);
      expect((await as(on, 'gone', 'umbrella')('GET', '/v1/passports')).status).toBe(200);
    }
  });

  it('is refused in whatever tenant of its token it was revoked in, and where a body alone names it', async () => {
    await register('wide');
    await revoke('wide');
    const call = first.as({ scopes: ALL_SCOPES, passport: 'wide', tenant: 'umbrella' });
    await expect
      .poll(async () => (await call('GET', '/v1/passports?tenant_id=default')).body.code, { timeout: 20_000 })
      .toBe('PASSPORT_REVOKED');
    const unnamed = first.as({ scopes: ALL_SCOPES });
    const announced = await unnamed('POST', '/v1/work', { project_id: 'p', title: 'T', created_by_passport: 'wide' });
    expect([announced.status, announced.body.code]).toEqual([403, 'PASSPORT_REVOKED']);
  });

  it('stays so: it is not registered again, and revoking it twice changes nothing', async () => {
    await register('twice');
    const { passport, revoked } = await revoke('twice');
    expect([passport.revoked_by, passport.revoke_reason, revoked]).toEqual(['passport:lead', 'Lost', true]);
    const again = await revoke('twice', second);
    expect(again).toEqual({ passport, revoked: false, ended: { leases: 0, gates: 0, intents: 0, peers: 0 } });
    const repeated = await as(first, 'lead')('POST', '/v1/passports', { passport_id: 'twice' });
    expect([repeated.status, repeated.body.revoked_at]).toEqual([409, passport.revoked_at]);
    const unknown = await as(first, 'lead')('DELETE', '/v1/passports/never');
    expect([unknown.status, unknown.body.code]).toEqual([404, 'PASSPORT_NOT_REGISTERED']);
  });

  it('holds nothing: leases, punchcards and intents are free for others, and each end has its receipt', async () => {
    await register('holder');
    const holder = as(first, 'holder');
    const [item] = await makeItems(first.database, 'held', 1);
    const claim = await must(holder('POST', '/v1/work/claim-next', { project_id: 'held', by_passport: 'holder' }));
    const card = await must(holder('POST', '/v1/punchcards/acquire', { resource: 'src/held', mode: 'write' }));
    await must(
      holder('POST', '/v1/coord/announce', { session_id: 's-held', project_id: 'held', by_passport: 'holder' }),
    );
    const other = as(second, 'other');
    expect((await other('POST', '/v1/punchcards/acquire', { resource: 'src/held', mode: 'write' })).status).toBe(409);

    const { ended } = await revoke('holder');
    expect(ended).toEqual({ leases: 2, gates: 0, intents: 1, peers: 0 });
    await must(other('POST', '/v1/punchcards/acquire', { resource: 'src/held', mode: 'write' }));
    const taken = await must(other('POST', '/v1/work/claim-next', { project_id: 'held', by_passport: 'other' }));
    expect([taken.work.work_id, taken.lease.fence > claim.lease.fence]).toEqual([item, true]);
    const active = await must(other('GET', '/v1/coord/active?project_id=held'));
    expect(JSON.stringify(active)).not.toContain('s-held');
    const rows = () =>
      first.database.query<{ status: string; receipt_end: string | null }>(
        'select status, receipt_end from lease where fence = any($1)',
        [[claim.lease.fence, card.fence]],
      );
    await expect
      .poll(async () => (await rows()).filter((row) => row.status === 'expired' && row.receipt_end !== null), {
        timeout: 20_000,
      })
      .toHaveLength(2);
  });

  it('leaves no peer that it added: each is revoked with a receipt, and its next request is refused', async () => {
    await register('linker');
    const [linked, kept] = [makePeer(), makePeer()];
    const peerOf = (peer_id: string, { publicKey }: TestPeer) => ({
      ...{ peer_id, public_key: publicKey, entity_prefixes: ['project:'], direction: 'both' },
    });
    const add = async (passport: string, peer: object) =>
      expect((await as(first, passport)('POST', '/v1/sync/peers', peer)).status).toBe(201);
    await add('linker', peerOf('linked', linked));
    await add('lead', peerOf('kept', kept));
    expect((await revoke('linker')).ended).toEqual({ leases: 0, gates: 0, intents: 0, peers: 1 });
    const { peers } = await must(as(second, 'lead')('GET', '/v1/sync/peers?status=revoked'));
    expect(peers).toMatchObject([
      { peer_id: 'linked', revoked_by: 'passport:lead', revoke_receipt_id: expect.any(String) },
    ]);
    const path = '/v1/sync/tenants/default/handshake';
    const refused = await ask(second.url, linked, path);
    expect([refused.status, refused.body.code]).toEqual([403, 'PEER_REVOKED']);
    expect((await ask(second.url, kept, path)).status).toBe(200);
  });

  it('waits at no gate, and decides on none: those it alone could decide lapse as well', async () => {
    const lead = as(first, 'lead');
    for (const passport of ['asker', 'decider']) await register(passport);
    const policy = (project_id: string, may_decide: string[]) =>
      must(lead('PUT', '/v1/work/gate/policy', { project_id, moves: ['in_review>done'], may_decide }));
    await policy('alone', ['decider']);
    await policy('both', ['decider', 'lead']);
    const gate = async (project_id: string, passport: string): Promise<string> => {
      const members = { project_id, created_by_passport: passport, assignee_passport: passport };
      const item = await must(as(first, passport)('POST', '/v1/work', { title: 'T', state: 'in_review', ...members }));
      const change = { by_passport: passport, state: 'done' };
      return (await must(as(first, passport)('PATCH', `/v1/work/${item.id}`, change))).queued[0].action_id;
    };
    const [asked, alone, both] = [await gate('web', 'asker'), await gate('alone', 'bob'), await gate('both', 'bob')];
    expect((await revoke('asker')).ended.gates).toBe(1);
    expect((await revoke('decider')).ended.gates).toBe(1);
    const state = async (id: string) => must(as(second, 'lead')('GET', `/v1/work/gate/${id}/state`));
    expect(await state(asked)).toMatchObject({ status: 'lapsed', reason: 'The passport that asked has been revoked' });
    expect(await state(alone)).toMatchObject({ status: 'lapsed' });
    expect(await state(both)).toMatchObject({ status: 'pending', may_decide: ['lead'] });
    expect((await lead('POST', `/v1/work/gate/${asked}/approve`, {})).status).toBe(409);
    await must(lead('POST', `/v1/work/gate/${both}/approve`, {}));
  });

  it('comes to hold nothing by what began before, in any process', async () => {
    await register('late');
    await must(as(second, 'late')('GET', '/v1/passports'));
    await withPathsLocked(async () => {
      const acquired = as(second, 'late')('POST', '/v1/punchcards/acquire', { resource: 'src/late', mode: 'write' });
      await expect
        .poll(async () => (await first.database.query(WAITING)).length, { timeout: 20_000 })
        .toBeGreaterThan(0);
      await revoke('late');
      void acquired.catch(() => undefined);
    });
    await must(as(first, 'other')('POST', '/v1/punchcards/acquire', { resource: 'src/late', mode: 'write' }));
  });

  it('has no stream left in any process: of events, of the status feed, of MCP', async () => {
    for (const passport of ['streamer', 'reader']) await register(passport);
    const streams = await Promise.all(
      [first, second].flatMap((on) =>
        ['/v1/events/stream', '/v1/status-feed'].map((path) =>
          EventStream.open(on.url, { ...headersOf('streamer'), accept: 'text/event-stream' }, path),
        ),
      ),
    );
    const kept = await EventStream.open(second.url, headersOf('reader'));
    const elsewhere = await EventStream.open(first.url, headersOf('streamer', 'umbrella'));
    const ends = streams.map((stream) => stream.ended());
    await withPathsLocked(async () => {
      const args = { resource: 'src/streamed', mode: 'write' };
      const calls = [first, second].map((on) => callTool(on, 'streamer', 'acquire_path', args));
      await Promise.all(calls.map(({ begun }) => begun));
      await revoke('streamer');
      await Promise.all(ends);
      expect(await Promise.all(calls.map(({ ended }) => ended))).toEqual([
        expect.not.stringContaining('result'),
        expect.not.stringContaining('result'),
      ]);
    });
    for (const stream of streams)
      expect(stream.received.at(-1)).toMatchObject({ name: 'end', data: { reason: 'unauthorized' } });
    await gated(as(first, 'ada'));
    expect((await kept.next()).name).toEqual(expect.any(String));
    await kept.close();
    await elsewhere.close();
  });
});

const WAITING = `select from pg_locks where locktype = 'advisory' and not granted`;
