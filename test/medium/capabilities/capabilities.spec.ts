import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';

const ROUTE = '/v1/features/capabilities';
const LARGEST = '18446744073709551615';
const folder = mkdtempSync(join(tmpdir(), 'svc-capabilities-'));
const file = join(folder, 'own.yaml');
const OWN = `
capabilities:
  - id: billing.invoices
    name: Invoices
    system: billing
    maturity: beta
    promises: [7, 9007199254740993, ${LARGEST}]
    routes: [POST /invoices]
    tests: [test/invoices.spec.ts]
    upstream: [svc-daemon.facts, billing.ledger]
  - id: billing.ledger
    name: Ledger
    system: billing
  - id: svc-daemon.facts
    promises: [7]
`;

let daemon: TestDaemon;
let acme: DaemonCall;
let globex: DaemonCall;
beforeAll(async () => {
  writeFileSync(file, OWN);
  daemon = await startDaemon({ env: { SVCD_CAPABILITIES_FILE: file }, tenants: ['acme', 'globex'] });
  acme = daemon.as({ scopes: 'facts:read facts:write', tenant: 'acme', passport: 'ada' });
  globex = daemon.as({ scopes: 'facts:read facts:write', tenant: 'globex', passport: 'bob' });
});
afterAll(async () => {
  await daemon.close();
  rmSync(folder, { recursive: true, force: true });
});

const get = async (path: string, by: DaemonCall = acme): Promise<any> => {
  const { status, body } = await by('GET', `${ROUTE}${path}`);
  expect([status, body.detail]).toEqual([200, undefined]);
  return body;
};
const ids = (body: any): string[] => body.items.map(({ id }: any) => id);
/** Every page of a list. */
async function all(path: string, list: string, limit: number): Promise<any[]> {
  const found: any[] = [];
  for (let cursor = ''; ;) {
    const body = await get(`${path}${path.includes('?') ? '&' : '?'}limit=${limit}${cursor}`);
    expect([body.count, body.has_more]).toEqual([body[list].length, body.next_cursor !== null]);
    found.push(...body[list]);
    if (body.next_cursor === null) return found;
    cursor = `&cursor=${body.next_cursor}`;
  }
}

describe('the registry', () => {
  it('has every route of the running server, each under one capability', async () => {
    const items = await all('?system=svc-daemon', 'items', 200);
    const listed = items.flatMap(({ routes }) => routes);
    const { body } = await daemon.call('GET', '/v1/openapi.json');
    const served = Object.entries(body.paths).flatMap(([path, verbs]: [string, any]) =>
      Object.keys(verbs).map((verb) => `${verb.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    );
    expect(new Set(listed).size).toBe(listed.length);
    expect(served.filter((address) => !listed.includes(address))).toEqual([]);
  });

  it('has all three apps and what is in the file', async () => {
    const items = await all('', 'items', 7);
    expect([...new Set(items.map(({ system }) => system))].sort()).toEqual([
      'billing',
      'svc-api',
      'svc-daemon',
      'svc-tools',
    ]);
    expect(items.map(({ id }) => id)).toEqual(items.map(({ id }) => id).toSorted());
    expect(await all('', 'items', 200)).toEqual(items);
  });

  it('says of a capability what the declarations say', async () => {
    const incidents = await get('/svc-daemon.incidents');
    expect(incidents).toMatchObject({
      name: 'Incidents',
      system: 'svc-daemon',
      maturity: 'beta',
      flags: ['SVCD_FEATURE_INCIDENTS'],
      tools: ['open_incident'],
      audit: { status: 'unaudited', auditor: null, last_audited: null, notes: null, version: 0 },
    });
    expect(incidents.routes).toContain('POST /v1/incidents/:id/export');
    expect(incidents.upstream).toContain('svc-daemon.facts');
    expect(incidents.tests).toContain('test/medium/incidents/incidents.spec.ts');
    const facts = await get('/svc-daemon.facts');
    expect(facts).toMatchObject({ maturity: 'stable', promises: [7] });
    expect(facts.tools).toEqual(expect.arrayContaining(['search_facts', 'store_fact']));
    expect(facts.downstream).toEqual(expect.arrayContaining(['billing.invoices', 'svc-daemon.incidents']));
    expect((await get('/svc-api.retrieval')).tools).toContain('query_vault');
    expect((await get('/svc-tools.tools')).upstream).toContain('svc-api.retrieval');
  });

  it('narrows by each filter, and by several', async () => {
    const narrowed = async (query: string) => ids(await get(`?limit=200&${query}`));
    expect(await narrowed('system=billing')).toEqual(['billing.invoices', 'billing.ledger']);
    expect(await narrowed('system=billing&maturity=beta')).toEqual(['billing.invoices']);
    expect(await narrowed('promise=7')).toEqual(['billing.invoices', 'svc-daemon.facts']);
    expect(await narrowed(`promise=${LARGEST}`)).toEqual(['billing.invoices']);
    expect(await narrowed('promise=9007199254740992')).toEqual([]);
    expect(await narrowed('search=%2FINVOICES')).toEqual(['billing.invoices']);
    expect(await narrowed('search=open_incident')).toEqual(['svc-daemon.incidents']);
    expect(await narrowed('audit=waived')).toEqual([]);
    expect(await narrowed('system=no-such')).toEqual([]);
  });

  it('keeps the digits of a promise', async () => {
    expect((await get('/billing.invoices')).promises).toEqual([7, '9007199254740993', LARGEST]);
    const { total, promises } = await get('/analysis/promises');
    expect(total).toBe(3);
    expect(promises.map(({ promise }: any) => promise)).toEqual([7, '9007199254740993', LARGEST]);
    expect(promises[0].kept_by.map(({ id }: any) => id)).toEqual(['billing.invoices', 'svc-daemon.facts']);
    expect(await all('/analysis/promises', 'promises', 1)).toEqual(promises);
  });

  it('shows what a capability rests on, and what rests on it', async () => {
    const { root, upstream } = await get('/billing.invoices/tree');
    expect(root.id).toBe('billing.invoices');
    expect(upstream.slice(0, 2)).toMatchObject([
      { id: 'svc-daemon.facts', depth: 1, via: 'billing.invoices' },
      { id: 'billing.ledger', depth: 1, via: 'billing.invoices', maturity: 'experimental' },
    ]);
    const ledger = await get('/billing.ledger/tree');
    expect([ledger.upstream, ledger.downstream]).toEqual([
      [],
      [expect.objectContaining({ id: 'billing.invoices', depth: 1, via: 'billing.ledger' })],
    ]);
  });
});

describe('an audit', () => {
  const audit = (id: string, body: object, by = acme) => by('POST', `${ROUTE}/${id}/audit`, body);

  it('is what the capability shows then, in its tenant alone', async () => {
    const { status, body } = await audit('billing.ledger', {
      status: 'passed',
      auditor: 'Ada',
      notes: 'Looked at all.',
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ status: 'passed', auditor: 'Ada', notes: 'Looked at all.', version: 1, screened: [] },
      last_audited: expect.any(String),
    });
    expect((await get('/billing.ledger')).audit).toEqual({
      ...{ status: 'passed', auditor: 'Ada', notes: 'Looked at all.', version: 1 },
      last_audited: body.last_audited,
    });
    expect(ids(await get('?audit=passed'))).toEqual(['billing.ledger']);
    expect((await get('/billing.ledger', globex)).audit.status).toBe('unaudited');
    expect((await get('/billing.ledger/audits', globex)).audits).toEqual([]);
  });

  it('leaves a receipt and an event, without the notes', async () => {
    const { body } = await audit('billing.ledger', { status: 'failed', notes: 'Nobody must read this elsewhere.' });
    const receipt = await daemon.call('GET', `/v1/receipts/${body.receipt_id}?tenant_id=acme`);
    const signed = Buffer.from(receipt.body.payload_base64, 'base64').toString('latin1');
    expect(signed).toContain('capability.audited');
    expect(signed).not.toContain('elsewhere');
    const [event] = await daemon.database.query<{ data: object }>(
      `select data from outbox_event where tenant_id = 'acme' and kind = 'capability.audited' order by position desc limit 1`,
    );
    expect(event!.data).toMatchObject({ capabilityId: 'billing.ledger', status: 'failed', noted: true });
    expect(JSON.stringify(event)).not.toContain('elsewhere');
  });

  it('follows the one it is meant to follow', async () => {
    expect((await audit('billing.invoices', { status: 'waived', base_version: 0 })).body.version).toBe(1);
    const stale = await audit('billing.invoices', { status: 'passed', base_version: 0 });
    expect([stale.status, stale.body.version]).toEqual([409, 1]);
    expect((await get('/billing.invoices')).audit).toMatchObject({ status: 'waived', auditor: expect.any(String) });
    expect((await get('/billing.invoices/audits')).count).toBe(1);
  });

  it('is counted, when many audit at once, each once', async () => {
    const done = await Promise.all(
      Array.from({ length: 12 }, (_, n) => audit('svc-api.retrieval', { status: 'passed', auditor: `a${n}` })),
    );
    expect(done.map(({ status }) => status)).toEqual(done.map(() => 200));
    expect(done.map(({ body }) => body.version).sort((a, b) => a - b)).toEqual(done.map((_, n) => n + 1));
    const audits = await all('/svc-api.retrieval/audits', 'audits', 5);
    expect(audits.map(({ version }) => version)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });

  it('has its secrets masked', async () => {
    const notes = 'It used password=hunter2hunter2 in the log.';
    const { body } = await audit('svc-api.retrieval', { status: 'failed', notes, auditor: 'password=hunter2hunter2' });
    expect(JSON.stringify(body)).not.toContain('hunter2');
    expect(body.screened).toMatchObject([{ start: notes.indexOf('hunter2') }]);
    const stored = await daemon.database.query(
      `select 1 from capability_audit a where a::text like '%hunter2%' union all select 2 from outbox_event e where e::text like '%hunter2%'`,
    );
    expect(stored).toEqual([]);
  });

  it('is refused without a status, of what does not exist, and without the right', async () => {
    for (const [body, path] of [
      [{}, 'body.status'],
      [{ status: 'fine' }, 'body.status'],
      [{ status: 'passed', auditor: 7 }, 'body.auditor'],
      [{ status: 'passed', other: 1 }, 'body.other'],
    ] as const) {
      const { status, body: problem } = await audit('billing.ledger', body);
      expect([status, problem.issues[0].path]).toEqual([400, path]);
    }
    expect((await audit('no.such', { status: 'passed' })).status).toBe(404);
    expect((await audit('analysis', { status: 'passed' })).status).toBe(404);
    const reader = daemon.as({ scopes: 'facts:read', tenant: 'acme' });
    expect((await audit('billing.ledger', { status: 'passed' }, reader)).status).toBe(403);
  });
});

describe('the analyses', () => {
  it('name what lacks a test or an audit', async () => {
    await acme('POST', `${ROUTE}/billing.ledger/audit`, { status: 'failed' });
    const { totals, total } = await get('/analysis/gaps');
    const gaps = await all('/analysis/gaps', 'gaps', 9);
    expect(gaps.length).toBe(total);
    const of = (id: string) => gaps.find((one) => one.id === id)?.gaps;
    expect(of('billing.ledger')).toEqual(['no_test', 'failed_audit']);
    expect(of('billing.invoices')).toBeUndefined();
    expect(of('svc-daemon.incidents')).toEqual(['no_audit']);
    expect(totals.failed_audit).toBe(gaps.filter((one) => one.gaps.includes('failed_audit')).length);
  });

  it('measure shares by system', async () => {
    const { total, systems } = await get('/analysis/coverage');
    const billing = systems.find(({ system }: any) => system === 'billing');
    expect(billing).toMatchObject({ capabilities: 2, tested: 1, tested_share: 0.5, audited: 2, promising: 1 });
    expect(total.capabilities).toBe((await all('', 'items', 200)).length);
  });

  it('are not capabilities', async () => {
    for (const path of ['/analysis', '/analysis/tree', '/no.such', '/no.such/tree', '/no.such/audits'])
      expect([path, (await acme('GET', `${ROUTE}${path}`)).status]).toEqual([path, 404]);
  });
});

describe('what is asked for', () => {
  it('is refused where it makes no sense', async () => {
    for (const [query, path] of [
      ['maturity=old', 'query.maturity'],
      ['audit=good', 'query.audit'],
      ['promise=-1', 'query.promise'],
      ['promise=18446744073709551616', 'query.promise'],
      ['limit=0', 'query.limit'],
      ['cursor=nonsense', 'query.cursor'],
      ['other=1', 'query.other'],
    ]) {
      const { status, body } = await acme('GET', `${ROUTE}?${query}`);
      expect([query, status, body.issues[0].path]).toEqual([query, 400, path]);
    }
  });

  it('needs a scope to read', async () => {
    const other = daemon.as({ scopes: 'receipts:read', tenant: 'acme' });
    for (const path of ['', '/analysis/gaps', '/billing.ledger', '/billing.ledger/tree'])
      expect([path, (await other('GET', `${ROUTE}${path}`)).status]).toEqual([path, 403]);
  });
});

describe('the file', () => {
  const put = (text: string) => {
    writeFileSync(`${file}.next`, text);
    renameSync(`${file}.next`, file);
  };

  it('is read again when it has changed, and what it said holds while it is wrong', async () => {
    put(OWN.replace('name: Ledger', 'name: General ledger'));
    expect((await get('/billing.ledger')).name).toBe('General ledger');
    put('capabilities: [{ id: 1 }]');
    expect((await get('/billing.ledger')).name).toBe('General ledger');
    rmSync(file);
    expect((await get('/billing.ledger')).name).toBe('General ledger');
    put(OWN);
    expect((await get('/billing.ledger')).name).toBe('Ledger');
  });

  it('stops a start with what is wrong in it, by member', async () => {
    const wrong = join(folder, 'wrong.yaml');
    writeFileSync(wrong, 'capabilities:\n  - { id: a, system: s, promises: [1.5], upstream: [b], color: red }\n');
    await expect(startDaemon({ env: { SVCD_CAPABILITIES_FILE: wrong } })).rejects.toThrow(
      /capabilities\[0\]\.promises\[0\] expected a whole number[\s\S]*capabilities\[0\]\.color is no member here/,
    );
    await expect(startDaemon({ env: { SVCD_CAPABILITIES_FILE: join(folder, 'none.yaml') } })).rejects.toThrow(
      /the file cannot be read: no such file/,
    );
  });
});
