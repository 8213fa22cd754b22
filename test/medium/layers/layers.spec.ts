import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { blake3Digest } from '../../../src/evidence/digest.js';
import { whileLocked } from '../../kit/held-lock.js';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { sendOk } from '../../kit/send-ok.js';

let daemon: TestDaemon;
let call: DaemonCall;
beforeAll(async () => {
  daemon = await startDaemon({ env: { SVCD_PUNCHCARD: 'enforce', SVCD_FEATURE_LEGAL_HOLD: '1' } });
  ({ call } = daemon);
});
afterAll(() => daemon.close());

let id: string;
let layers: string;
let counted = 0;
beforeEach(async () => {
  counted += 1;
  id = `p${counted}`;
  layers = `/v1/projects/${id}/layers`;
  await must('POST', '/v1/projects', { id, default_passport_id: 'lead' });
});

const must = (method: string, path: string, body?: object, by: DaemonCall = call) => sendOk(by, method, path, body);
const refusal = async (method: string, path: string, body?: object, headers?: Record<string, string>) => {
  const answer = await call(method, path, body, headers);
  return [answer.status, answer.body.code];
};
const countReceipts = async () =>
  Number((await daemon.database.query<{ n: string }>('select count(*) as n from receipt'))[0]!.n);

describe('a layer', () => {
  it('is written in versions, each with a receipt, listed and read', async () => {
    const before = await countReceipts();
    const first = await must('PUT', `${layers}/style`, { content: 'Use tabs.' });
    expect(first).toEqual({
      ...{ project_id: id, layer: 'style', version: 1, private: true, bytes: 9, hash: blake3Digest('Use tabs.') },
      ...{ fact_id: expect.any(String), stored_at: expect.any(String), receipt_id: expect.any(String) },
    });
    const second = await must('PUT', `${layers}/style`, { content: 'Löwe' });
    expect(second).toMatchObject({ version: 2, bytes: 5 });
    expect(await countReceipts()).toBe(before + 2);
    const { layers: listed, ...rest } = await must('GET', layers);
    expect(rest).toEqual({ project_id: id, count: 1, has_more: false, next_cursor: null });
    expect(listed).toEqual([
      {
        ...{ layer: 'style', content: 'Löwe', version: 2, count: 2, private: true, bytes: 5 },
        ...{ fact_id: second.fact_id, stored_at: second.stored_at, hash: second.hash, receipt_id: second.receipt_id },
        written_by: 'anonymous',
      },
    ]);
    const fact = await must('GET', `/v1/facts/${second.fact_id}`);
    expect(fact).toMatchObject({ entity: `layer:${id}`, key: 'style', value: 'Löwe', private: true, version: 2 });
    const { body: receipt } = await call('GET', `/v1/receipts/${second.receipt_id}?tenant_id=default`);
    expect(Buffer.from(receipt.payload_base64, 'base64').toString('latin1')).toContain('fact.batch');
  });

  it('is one chain whoever writes it, and says who did', async () => {
    for (const [n, passport] of ['ada', 'bob', 'ada'].entries()) {
      const by = daemon.as({ scopes: ALL_SCOPES, passport });
      expect((await must('PUT', `${layers}/style`, { content: passport }, by)).version).toBe(n + 1);
    }
    const { versions } = await must('GET', `${layers}/style/versions`);
    expect(versions.map((one: any) => [one.version, one.content, one.written_by])).toEqual([
      [3, 'ada', 'passport:ada'],
      [2, 'bob', 'passport:bob'],
      [1, 'ada', 'passport:ada'],
    ]);
    // The same name by way of the facts is a fact of its writer, and no layer.
    await must('PUT', '/v1/facts', { entity: `layer:${id}`, key: 'style', value: 'mine' });
    expect((await must('GET', layers)).layers).toMatchObject([{ content: 'ada', version: 3 }]);
  });

  it('is cleared by a version, and its history stays', async () => {
    await must('PUT', `${layers}/style`, { content: 'one' });
    const before = await countReceipts();
    expect(await must('DELETE', `${layers}/style`)).toEqual({
      project_id: id,
      layer: 'style',
      cleared: true,
      version: 2,
    });
    expect(await countReceipts()).toBe(before + 1);
    expect(await must('DELETE', `${layers}/style`)).toMatchObject({ cleared: false, version: 2 });
    expect(await must('DELETE', `${layers}/never`)).toMatchObject({ cleared: false, version: 0 });
    expect((await must('GET', layers)).layers).toEqual([]);
    expect((await must('PUT', `${layers}/style`, { content: 'three' })).version).toBe(3);
    const page = await must('GET', `${layers}/style/versions?limit=2`);
    const rest = await must('GET', `${layers}/style/versions?limit=2&cursor=${page.next_cursor}`);
    expect([page.has_more, rest.has_more]).toEqual([true, false]);
    expect([...page.versions, ...rest.versions].map((one: any) => [one.version, one.cleared, one.content])).toEqual([
      [3, false, 'three'],
      [2, true, null],
      [1, false, 'one'],
    ]);
  });

  it('is announced without its text', async () => {
    const { fact_id, receipt_id } = await must('PUT', `${layers}/style`, { content: 'secret words' });
    await must('DELETE', `${layers}/style`);
    const events = await daemon.database.query<{ kind: string; data: any }>(
      `select kind, data from outbox_event where subject = '${id}' and kind like 'layer.%' order by transaction, position`,
    );
    expect(events).toMatchObject([
      {
        kind: 'layer.stored',
        data: { projectId: id, planeId: null, layer: 'style', version: 1, factId: fact_id, receipt_id },
      },
      { kind: 'layer.cleared', data: { projectId: id, layer: 'style', version: 2 } },
    ]);
    expect(JSON.stringify(events)).not.toContain('secret words');
  });

  it('of a plane is its own', async () => {
    await must('POST', `/v1/projects/${id}/planes`, { id: 'api' });
    const plane = `/v1/projects/${id}/planes/api/layers`;
    await must('PUT', `${layers}/style`, { content: 'project' });
    expect(await must('PUT', `${plane}/style`, { content: 'plane' })).toMatchObject({
      ...{ project_id: id, plane_id: 'api', layer: 'style', version: 1, bytes: 5, private: true },
    });
    expect(await must('GET', plane)).toMatchObject({ project_id: id, plane_id: 'api', layers: [{ content: 'plane' }] });
    expect((await must('GET', `${plane}/style/versions`)).plane_id).toBe('api');
    expect(await must('DELETE', `${plane}/style`)).toEqual({
      ...{ project_id: id, plane_id: 'api', layer: 'style', cleared: true, version: 2 },
    });
    expect((await must('GET', layers)).layers).toMatchObject([{ content: 'project' }]);
    expect(await refusal('GET', `/v1/projects/${id}/planes/none/layers`)).toEqual([404, 'PLANE_UNKNOWN']);
    expect(await refusal('PUT', `/v1/projects/${id}/planes/none/layers/a`, { content: '' })).toEqual([
      404,
      'PLANE_UNKNOWN',
    ]);
  });

  it('is written only at the version that the writer read', async () => {
    expect(await refusal('PUT', `${layers}/style`, { content: 'a', base_version: 1 })).toEqual([409, 'LAYER_CHANGED']);
    await must('PUT', `${layers}/style`, { content: 'a', base_version: 0 });
    const late = await call('PUT', `${layers}/style`, { content: 'b', base_version: 0 });
    expect([late.status, late.body.version]).toEqual([409, 1]);
    expect(await refusal('DELETE', `${layers}/style?base_version=2`)).toEqual([409, 'LAYER_CHANGED']);
    await must('DELETE', `${layers}/style?base_version=1`);
    await must('PUT', `${layers}/style`, { content: 'c', base_version: 2 });
  });

  it('of many writers with one base version is written by one', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => call('PUT', `${layers}/race`, { content: `w${n}`, base_version: 0 })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(7).fill(409)]);
    const free = await Promise.all(
      Array.from({ length: 8 }, (_, n) => must('PUT', `${layers}/race`, { content: `x${n}` })),
    );
    expect(free.map(({ version }) => version).sort()).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('is written under the fence of a lease while that is live', async () => {
    const ada = daemon.as({ scopes: ALL_SCOPES, passport: 'ada' });
    const { fence } = await must('POST', '/v1/punchcards/acquire', { resource: `docs/${id}` }, ada);
    expect(Number.isInteger(fence)).toBe(true);
    const under = (method: string, path: string, body?: object) =>
      refusal(method, path, body, { 'x-svc-fence': String(fence) });
    expect((await under('PUT', `${layers}/style`, { content: 'a' }))[0]).toBe(200);
    await must('POST', '/v1/punchcards/release', { resource: `docs/${id}` }, ada);
    expect(await under('PUT', `${layers}/style`, { content: 'b' })).toEqual([409, 'FENCE_STALE']);
    expect(await under('DELETE', `${layers}/style`)).toEqual([409, 'FENCE_STALE']);
    expect((await must('GET', layers)).layers).toMatchObject([{ content: 'a', version: 1 }]);
  });

  it.each(['Style', 'a_b', '1st', 'a'.repeat(64), 'a.b'])('is refused the name %s', async (name) => {
    const answer = await call('PUT', `${layers}/${name}`, { content: '' });
    expect([answer.status, answer.body.detail]).toEqual([400, expect.stringContaining('path.layer')]);
  });

  it('needs a text, and a project that is there and open', async () => {
    expect((await refusal('PUT', `${layers}/style`, {}))[0]).toBe(400);
    expect((await refusal('PUT', `${layers}/style`, { content: 7 }))[0]).toBe(400);
    expect((await refusal('PUT', `${layers}/style`, { content: 'x'.repeat(1024 * 1024 + 1) }))[0]).toBe(400);
    expect((await refusal('PUT', `${layers}/style`, { content: 'a\0b' }))[0]).toBe(400);
    expect(await refusal('PUT', '/v1/projects/none/layers/style', { content: '' })).toEqual([404, 'PROJECT_UNKNOWN']);
    await must('PUT', `${layers}/style`, { content: 'kept' });
    await must('PATCH', `/v1/projects/${id}`, { archived: true });
    expect(await refusal('PUT', `${layers}/style`, { content: '' })).toEqual([409, 'PROJECT_ARCHIVED']);
    expect(await refusal('DELETE', `${layers}/style`)).toEqual([409, 'PROJECT_ARCHIVED']);
    expect((await must('GET', layers)).layers).toMatchObject([{ content: 'kept' }]);
    // Once the project is deleted its layers are still there as facts.
    await must('DELETE', `/v1/projects/${id}`);
    expect(await refusal('GET', layers)).toEqual([404, 'PROJECT_UNKNOWN']);
    expect((await must('GET', `/v1/facts/entity/layer:${id}`)).facts).toMatchObject([{ key: 'style', value: 'kept' }]);
  });

  it('has a bounded number of bytes', async () => {
    const content = 'x'.repeat(1024 * 1024);
    for (const name of ['a', 'b', 'c', 'd']) await must('PUT', `${layers}/${name}`, { content });
    expect(await refusal('PUT', `${layers}/e`, { content: 'x' })).toEqual([409, 'LAYERS_FULL']);
    await must('PUT', `${layers}/a`, { content: 'shorter' });
    await must('PUT', `${layers}/e`, { content: 'x' });
    const page = await must('GET', `${layers}?limit=3`);
    const rest = await must('GET', `${layers}?limit=3&cursor=${page.next_cursor}`);
    expect([...page.layers, ...rest.layers].map(({ layer }: any) => layer)).toEqual(['a', 'b', 'c', 'd', 'e']);
    // A page of versions ends before its texts are too many.
    for (let n = 0; n < 5; n += 1) await must('PUT', `${layers}/b`, { content });
    const versions = await must('GET', `${layers}/b/versions`);
    expect([versions.count, versions.has_more]).toEqual([4, true]);
    const older = await must('GET', `${layers}/b/versions?cursor=${versions.next_cursor}`);
    expect([older.count, older.has_more]).toEqual([2, false]);
  });

  it('has that bound for many that are written at once', async () => {
    const content = `${'x '.repeat(31)}\n`.repeat(16 * 1024);
    const held = `select from project where project_id = '${id}' for update`;
    await whileLocked(daemon.database, held, async (lock) => {
      const writes = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => call('PUT', `${layers}/${name}`, { content }));
      await lock.waitForBlocked(writes.length);
      await lock.commit();
      const statuses = (await Promise.all(writes)).map(({ status }) => status);
      expect(statuses.sort()).toEqual([200, 200, 200, 200, 409, 409]);
    });
    expect((await must('GET', layers)).count).toBe(4);
  });

  it('is pinned by a legal hold on its entity', async () => {
    await must('PUT', `${layers}/style`, { content: 'evidence' });
    const hold = { tenant_id: 'default', reason: 'Matter', entity_prefixes: [`layer:${id}`] };
    await must('POST', '/v1/legal-holds', hold);
    expect(await refusal('DELETE', `${layers}/style`)).toEqual([409, 'LEGAL_HOLD']);
    expect((await must('PUT', `${layers}/style`, { content: 'newer' })).version).toBe(2);
    expect((await must('GET', `${layers}/style/versions`)).versions.map(({ content }: any) => content)).toEqual([
      'newer',
      'evidence',
    ]);
  });
});

describe('who may', () => {
  it('read layers has admin:read, who writes them facts:write', async () => {
    const reader = daemon.as({ scopes: 'admin:read' });
    const writer = daemon.as({ scopes: 'facts:write' });
    expect((await reader('PUT', `${layers}/a`, { content: '' })).status).toBe(403);
    expect((await reader('DELETE', `${layers}/a`)).status).toBe(403);
    expect((await writer('PUT', `${layers}/a`, { content: '' })).status).toBe(200);
    for (const path of [layers, `${layers}/effective`, `${layers}/a/versions`]) {
      expect((await writer('GET', path)).status).toBe(403);
      expect((await reader('GET', path)).status).toBe(200);
    }
    expect((await writer('DELETE', `${layers}/a`)).status).toBe(200);
  });

  it('belongs to another tenant finds nothing, and has layers of its own', async () => {
    const other = daemon.as({ scopes: ALL_SCOPES, tenant: 'other' });
    await must('PUT', `${layers}/style`, { content: 'ours' });
    expect((await other('GET', layers)).body.code).toBe('PROJECT_UNKNOWN');
    await must('POST', '/v1/projects', { id, default_passport_id: 'them' }, other);
    expect((await must('GET', layers, undefined, other)).layers).toEqual([]);
    expect((await must('PUT', `${layers}/style`, { content: 'theirs' }, other)).version).toBe(1);
    expect((await must('GET', layers)).layers).toMatchObject([{ content: 'ours' }]);
  });
});
