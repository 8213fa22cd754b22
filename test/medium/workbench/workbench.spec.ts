import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PRO_SERVICES } from '../../../src/common/contract/scopes.js';
import { asSuperuser } from '../../kit/database.js';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';

let daemon: TestDaemon;
let call: DaemonCall;
beforeAll(async () => {
  daemon = await startDaemon({
    env: {
      SVCD_ENABLED_PRO_SERVICES: PRO_SERVICES.join(', '),
      SVCD_PUNCHCARD: 'enforce',
      SVCD_COORD: '1',
      SVCD_OBSERVE: '1',
      SVCD_HANDOFF_OBSERVATIONS: '1',
    },
  });
  call = daemon.as({ scopes: ALL_SCOPES, passport: 'ada' });
});
afterAll(() => daemon.close());

async function send(method: string, path: string, body?: unknown, by: DaemonCall = call): Promise<any> {
  const answer = await by(method, path, body);
  expect([path, answer.status < 300, answer.body]).toEqual([path, true, answer.body]);
  return answer.body;
}

const bench = (name: string, body?: unknown, by?: DaemonCall) =>
  send(body === undefined ? 'GET' : 'POST', `/v1/workbench/${name}`, body, by);
const idsOf = ({ findings }: { findings: { id: string; subject: string }[] }) =>
  findings.map(({ id, subject }) => `${id} ${subject}`);

describe('services that are not enabled', () => {
  let plain: TestDaemon;
  beforeAll(async () => {
    const env = { SVCD_ENABLED_PRO_SERVICES: 'impact:preflight' };
    plain = await startDaemon({ database: daemon.database, env });
  });
  afterAll(() => plain.close());

  it('are 402 to whoever has the scopes, 403 to others, before the body is looked at', async () => {
    const { status, body } = await plain.call('POST', '/v1/workbench/brief', { nonsense: 1 });
    expect([status, body]).toEqual([
      402,
      expect.objectContaining({
        code: 'pro_service_not_enabled',
        type: 'urn:svc:errors/pro_service_not_enabled',
        service: 'agent_brief:pro',
        detail: expect.stringContaining('SVCD_ENABLED_PRO_SERVICES'),
      }),
    ]);
    const other = await plain.as({ scopes: 'facts:read' })('POST', '/v1/workbench/brief', {});
    expect([other.status, other.body.code]).toEqual([403, 'MISSING_SCOPE']);
    const own = await plain.as({ scopes: 'agent_brief:pro' })('POST', '/v1/workbench/brief', {});
    expect(own.status).toBe(402);
    const enabled = await plain.as({ scopes: 'impact:preflight' })('POST', '/v1/workbench/impact-preflight', {
      paths: ['src/a.ts'],
    });
    expect([enabled.status, enabled.body.verdict]).toEqual([200, 'ok']);
  });

  it('are named by the contract, which anybody reads', async () => {
    const { status, body } = await plain.as({})('GET', '/v1/workbench/contract');
    expect([status, body.verdict, body.routes.length]).toEqual([200, 'ok', 12]);
    expect(body.findings).toHaveLength(9);
    expect(body.routes.filter((one: any) => one.enabled).map((one: any) => one.route)).toEqual([
      'GET /v1/workbench/contract',
      'POST /v1/workbench/impact-preflight',
    ]);
  });
});

describe('a brief and a context pack', () => {
  it('say what is known in whole items, and what did not fit', async () => {
    await send('PUT', '/v1/facts', { entity: 'lamp', key: 'oil', value: 'The lamp burns colza oil.' });
    await send('PUT', '/v1/facts', {
      entity: 'lamp',
      key: 'wick',
      value: `The wick of the lamp ${'is long '.repeat(60)}`,
    });
    const brief = await bench('brief', { task: 'Which oil does the lamp burn?' });
    expect(brief.brief).toContain('The lamp burns colza oil.');
    expect(brief.sources[0]).toMatchObject({ kind: 'facts', why: expect.any(String) });
    const small = await bench('context-pack', { task: 'Which oil does the lamp burn?', token_budget: 30 });
    expect([small.verdict, idsOf(small)]).toEqual(['warn', ['context.over_budget 30 tokens']]);
    expect(small.context.total_tokens).toBeLessThanOrEqual(30);
    const nothing = await bench('brief', { task: 'zyzzyva', project_id: 'nowhere' });
    expect([nothing.verdict, idsOf(nothing)[0]]).toEqual(['fail', 'context.unknown project_id']);
  });
});

describe('an impact preflight', () => {
  it('meets leases, intents, work and dependants', async () => {
    const bo = daemon.as({ scopes: ALL_SCOPES, passport: 'bo' });
    await send('POST', '/v1/punchcards/acquire', { resource: 'src/board', mode: 'write' }, bo);
    await send('POST', '/v1/coord/announce', { session_id: 's-bo', project_id: 'web', paths: ['src/board/**'] }, bo);
    const work = { project_id: 'web', created_by_passport: 'ada', state: 'ready' };
    const first = await send('POST', '/v1/work', { ...work, title: 'Rework src/board/list.ts' });
    const second = await send('POST', '/v1/work', { ...work, title: 'After that' });
    await send('PUT', `/v1/work/${second.work_id}/blockers/${first.work_id}`, { by_passport: 'ada' });
    await send('PUT', '/v1/facts', { entity: 'file:src/board/list.ts', key: 'owner', value: 'bo' });
    await send('PUT', '/v1/edges', {
      ...{ from_kind: 'module', from_id: 'app', edge_kind: 'imports', to_kind: 'file', to_id: 'src/board/list.ts' },
    });
    const found = await bench('impact-preflight', { paths: ['src/board/list.ts', 'docs'], session_id: 's-ada' });
    expect(found.verdict).toBe('fail');
    expect(found.leases).toEqual([
      expect.objectContaining({ resource: 'src/board', holder_passport: 'bo', own: false }),
    ]);
    expect(found.intents).toEqual([expect.objectContaining({ session_id: 's-bo', theirs: 'src/board/**' })]);
    expect(found.work.map((one: any) => one.title)).toEqual(['Rework src/board/list.ts']);
    expect(found.dependants.map((one: any) => one.kind).sort()).toEqual(['fact', 'graph', 'work']);
    expect(idsOf(found)).toEqual([
      'impact.path_held src/board/list.ts',
      'impact.intent_meets src/board/list.ts',
      'impact.dependants src/board/list.ts',
    ]);
    const own = await bench('impact-preflight', { paths: ['src/board/list.ts'], session_id: 's-bo' }, bo);
    expect([own.verdict, own.intents, own.leases[0].own]).toEqual(['ok', [], true]);
  });

  it('refuses what is no path, naming it', async () => {
    const { status, body } = await call('POST', '/v1/workbench/impact-preflight', { paths: ['src', '../etc', '/etc'] });
    expect([status, body.errors?.map((one: any) => one.path) ?? body.detail]).toEqual([400, expect.anything()]);
    expect(JSON.stringify(body)).toContain('paths[1]');
  });
});

describe('the command ledger', () => {
  const record = (id: string, command: string, more: object = {}) =>
    bench('command-ledger', { command_id: id, command, ...more });

  it('is only added to, once a client id, also by many at once', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, (_, n) => record(`c-${n % 10}`, `make ${n % 10}`)));
    expect(new Set(all.map(({ entry }) => entry.seq))).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]));
    expect(all.filter(({ repeated }) => repeated)).toHaveLength(10);
    const other = await call('POST', '/v1/workbench/command-ledger', { command_id: 'c-1', command: 'make other' });
    expect([other.status, other.body.code, other.body.seq]).toEqual([409, 'COMMAND_KNOWN', expect.any(Number)]);
  });

  it('is paged, newest first, its head in a receipt', async () => {
    const first = await bench('command-ledger?limit=4');
    expect(first.commands.map((one: any) => one.seq)).toEqual([10, 9, 8, 7]);
    const next = await bench(`command-ledger?limit=4&cursor=${first.next_cursor}`);
    expect(next.commands.map((one: any) => one.seq)).toEqual([6, 5, 4, 3]);
    const receipt = await send('GET', `/v1/receipts/${first.head.receipt_id}?tenant_id=default`);
    expect(Buffer.from(receipt.payload_base64, 'base64').toString('latin1')).toContain(first.head.digest.slice(7));
    expect(first.commands[0].digest).toBe(first.head.digest);
  });

  it('masks secrets and says so, and notes what failed', async () => {
    const { entry, findings } = await record('c-secret', 'curl -H "authorization: bearer abcdefghijklmnopqrstuvwx"', {
      ...{ exit_code: 22, session_id: 's-1', started_at: '2026-01-01T00:00:00Z', ended_at: '2026-01-01T00:00:01Z' },
    });
    expect(entry.command).not.toContain('abcdefghijklmnop');
    expect(findings[0]).toMatchObject({ id: 'ledger.secret_masked', severity: 'warn' });
    const ofSession = await bench('command-ledger?session_id=s-1');
    expect([ofSession.count, idsOf(ofSession)]).toEqual([1, ['ledger.command_failed c-secret']]);
    const bad = await call('POST', '/v1/workbench/command-ledger', {
      ...{ command_id: 'late', command: 'x', started_at: '2026-01-02T00:00:00Z', ended_at: '2026-01-01T00:00:00Z' },
    });
    expect([bad.status, JSON.stringify(bad.body)]).toEqual([400, expect.stringContaining('ended_at')]);
  });

  it('fails where somebody changes it in the database', async () => {
    const change = (sql: string) => asSuperuser(daemon.database, `set session_replication_role = replica; ${sql}`);
    await change(`update workbench_command set command = 'rm -rf /' where seq = 8`);
    expect(idsOf(await bench('command-ledger'))[0]).toBe('ledger.chain_broken 8');
    await change(`update workbench_command set command = 'make 0', salt = '[erased]' where seq = 8`);
    expect((await bench('command-ledger')).verdict).toBe('ok');
  });

  it('holds where a subject is erased: the content is gone, the chain stays', async () => {
    await record('c-letter', 'mail zyzzyva@example.org', { session_id: 's-letter', cwd: '/home/zyzzyva' });
    await record('c-after', 'make after');
    const asked = await send('POST', '/v1/facts/erase', { texts: ['zyzzyva@example.org'] });
    for (;;) {
      const { erasure } = await send('GET', `/v1/facts/erase/${asked.erasure.erasure_id}`);
      if (erasure.status !== 'running') break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const found = await bench('command-ledger?limit=2');
    expect(found.commands.map((one: any) => [one.command_id, one.command])).toEqual([
      ['c-after', 'make after'],
      ['c-letter', '[erased]'],
    ]);
    expect([found.verdict, JSON.stringify(found)]).toEqual(['ok', expect.not.stringContaining('zyzzyva')]);
  });
});

describe('a handoff', () => {
  it('bears work, leases with fences, gates and receipts, and leaves a step', async () => {
    const work = await send('POST', '/v1/work', {
      ...{
        project_id: 'hand',
        title: 'Half done',
        created_by_passport: 'ada',
        state: 'ready',
        assignee_passport: 'ada',
      },
    });
    const id = work.work_id;
    const claim = await send('POST', `/v1/work/${id}/claim`, {});
    const made = await bench('handoff-v2', {
      ...{ project_id: 'hand', to_passport: 'bo', session_id: 's-end', note: 'The wick is wet.' },
    });
    expect(made.open_work.map((one: any) => [one.title, one.fence])).toEqual([['Half done', claim.lease.fence]]);
    expect(made.leases.map((one: any) => [one.kind, one.fence])).toEqual([['work', claim.lease.fence]]);
    expect(made.last_receipts.length).toBeGreaterThan(0);
    expect([made.verdict, idsOf(made)]).toEqual(['warn', [`handoff.lease_held ${id}`]]);
    expect(made.observation).toEqual({ session_id: 's-end', node_id: made.handoff_id });
    const audit = await send('GET', '/v1/observe/sessions/s-end/audit');
    expect(JSON.stringify(audit)).toContain(made.handoff_hash);
  });

  it('bears the gates of its project, however many others wait before them', async () => {
    const gateIn = async (project_id: string): Promise<string> => {
      const item = { project_id, title: 'To approve', state: 'in_review', assignee_passport: 'ada' };
      const { work_id } = await send('POST', '/v1/work', { ...item, created_by_passport: 'ada' });
      const { queued } = await send('PATCH', `/v1/work/${work_id}`, { state: 'done', by_passport: 'ada' });
      return queued[0].action_id;
    };
    const [first, second] = [await gateIn('crowded'), await gateIn('quiet')];
    await asSuperuser(
      daemon.database,
      `insert into work_gate select (jsonb_populate_record(g, jsonb_build_object('action_id', gen_random_uuid(),
         'requested_at', g.requested_at - interval '1 minute'))).* from work_gate g, generate_series(1, 201)
       where g.action_id = '${first}'`,
    );
    const quiet = await bench('handoff-v2', { project_id: 'quiet', limit: 1 });
    expect([quiet.pending_gates.map((one: any) => one.action_id), quiet.truncated]).toEqual([[second], false]);
    const crowded = await bench('handoff-v2', { project_id: 'crowded', limit: 200 });
    expect([crowded.pending_gates.length, crowded.truncated]).toEqual([200, true]);
  });
});

describe('a timeline and a triage', () => {
  it('have what failed', async () => {
    const step = { label: 'Read the map', actor: 'ada', ts_start: new Date().toISOString(), node_id: 'n-1' };
    await send('POST', '/v1/observe/sessions/s-map/steps', step);
    await send('PATCH', '/v1/observe/sessions/s-map/steps/n-1', { status: 'error' });
    const timeline = await bench('reasoning-timeline?session_id=s-map&limit=200');
    expect(timeline.entries.map((one: any) => one.source)).toContain('step');
    expect([timeline.verdict, idsOf(timeline)]).toEqual(['warn', ['timeline.step_failed Read the map']]);
    const triage = await bench('audit-triage?verify=3');
    expect(triage.counts).toMatchObject({ failed_steps: 1, verified: 3, invalid: 0 });
    expect(idsOf(triage)).toContain('triage.step_failed Read the map');
    const backwards = await call('GET', '/v1/workbench/audit-triage?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z');
    expect([backwards.status, JSON.stringify(backwards.body)]).toEqual([400, expect.stringContaining('from')]);
  });
});

describe('the drift of the API', () => {
  it('is none against the manifest itself, and breaks where a client needs what is gone', async () => {
    const manifest = await send('GET', '/v1/openapi.json');
    const same = await bench('api-drift', { manifest });
    expect([same.verdict, same.changes, same.sent_operations]).toEqual(['ok', [], same.live_operations]);
    manifest.paths['/v1/gone'] = { get: { responses: { 200: {} } } };
    delete manifest.paths['/v1/facts'];
    const drift = await bench('api-drift', { manifest });
    expect([drift.breaking, drift.breaking_count, drift.changes[0].where]).toEqual([true, 1, 'GET /v1/gone']);
    const empty = await call('POST', '/v1/workbench/api-drift', { manifest: {} });
    expect([empty.status, JSON.stringify(empty.body)]).toEqual([400, expect.stringContaining('manifest')]);
  });
});
