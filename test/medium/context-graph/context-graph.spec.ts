import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asSuperuser } from '../../kit/database.js';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';

let daemon: TestDaemon;
let call: DaemonCall;
beforeAll(async () => {
  daemon = await startDaemon({ env: { SVCD_COORD: '1' } });
  call = daemon.as({ scopes: ALL_SCOPES, passport: 'lead' });
  await fill();
});
afterAll(() => daemon.close());

const SCAN = '0198c0de-0000-7000-8000-000000000001';
const FIRST = { path: 'src/a.ts', symbol: 'symbol:src/a.ts#1' };

interface Page {
  nodes: { id: string; kind: string; label: string; ref: string }[];
  edges: { from: string; to: string; kind: string }[];
  truncated: boolean;
  next_cursor: string | null;
}

const rows = <T extends object>(sql: string, values: unknown[] = []): Promise<T[]> =>
  daemon.database.query<T>(sql, values);

async function send(method: string, path: string, body?: unknown, by: DaemonCall = call): Promise<any> {
  const { status, body: reply } = await by(method, path, body);
  expect([status < 300, path, reply.detail]).toEqual([true, path, undefined]);
  return reply;
}

async function graph(project: string, query = '', by: DaemonCall = call): Promise<Page> {
  return send('GET', `/v1/projects/${project}/context-graph${query === '' ? '' : `?${query}`}`, undefined, by);
}

/** All pages; each edge's nodes are on its page or on one before it. */
async function walk(project: string, query = ''): Promise<Page & { pages: number }> {
  const all: Page & { pages: number } = { nodes: [], edges: [], truncated: false, next_cursor: null, pages: 0 };
  const seen = new Set<string>();
  let cursor: string | null = null;
  do {
    const page = await graph(project, [query, cursor && `cursor=${cursor}`].filter(Boolean).join('&'));
    expect(page.nodes.length).toBeLessThanOrEqual(500);
    expect(page.edges.length).toBeLessThanOrEqual(2000);
    expect(page.truncated).toBe(page.next_cursor !== null);
    for (const { id } of page.nodes) {
      expect(seen.has(id)).toBe(false);
      seen.add(id);
    }
    for (const { from, to } of page.edges)
      expect([from, seen.has(from), to, seen.has(to)]).toEqual([from, true, to, true]);
    all.nodes.push(...page.nodes);
    all.edges.push(...page.edges);
    all.pages += 1;
    cursor = page.next_cursor;
  } while (cursor !== null);
  return all;
}

const textOf = ({ from, kind, to }: Page['edges'][number]): string => `${from} ${kind} ${to}`;
const idsOf = ({ nodes }: Pick<Page, 'nodes'>): string[] => nodes.map(({ id }) => id);

async function fill(): Promise<void> {
  await send('POST', '/v1/projects', { id: 'lighthouse', default_passport_id: 'lead', working_tenants: ['acme'] });
  await send('POST', '/v1/projects', { id: 'light', default_passport_id: 'lead' });
  await send('POST', '/v1/projects/lighthouse/planes', { id: 'backend', name: 'Backend', default_passport_id: 'ada' });
  await send('POST', '/v1/projects/lighthouse/passports', { passport_id: 'ada', role: 'developer' });
  await send('POST', '/v1/projects/lighthouse/planes/backend/passports', { passport_id: 'bo' });
  await send('POST', '/v1/projects/lighthouse/planes/backend/tenants', { tenant_id: 'shop' });
  await send('POST', '/v1/projects/lighthouse/repos', { repo: 'acme/lamp' });
  await send('POST', '/v1/projects/lighthouse/repos', { repo: 'acme/core', plane_id: 'backend' });
  const fact = (entity: string, key: string, by: DaemonCall = call, more = {}) =>
    send('PUT', '/v1/facts', { entity, key, value: 'A value.', ...more }, by);
  await fact('project:lighthouse', 'db');
  await fact('project:lighthouse/decisions', 'queue');
  await fact('project:lighthouse:risks', 'fog');
  await fact('project:lighthouse-two', 'other');
  await fact('project:lighthouse', 'mine', daemon.as({ scopes: 'facts:write', passport: 'zed' }), { private: true });
  await fact('layer:lighthouse', 'style');
  await fact('layer:lighthouse/backend', 'tools');
  await fact('layer:lighthouse-two', 'style');
  await rows(`insert into workspace_scan (tenant_id, scan_id, state, created_by) values ('default', $1, 'done', 'x')`, [
    SCAN,
  ]);
  for (const path of [FIRST.path, 'src/a.ts!', 'README.md'])
    await rows(`insert into workspace_file values ('default', $1, $2, 1, 'typescript', 2)`, [SCAN, path]);
  for (const path of [FIRST.path, 'src/a.ts!'])
    for (const ordinal of [1, 2])
      await rows(`insert into workspace_symbol values ('default', $1, $2, $3, 'Lamp.light', 'method', 7)`, [
        SCAN,
        path,
        ordinal,
      ]);
}

describe('the context graph of a project', () => {
  it('has what belongs to it as nodes and edges, in an order that lasts', async () => {
    const work = await send('POST', '/v1/work', {
      project_id: 'lighthouse',
      title: 'Light it',
      assignee_passport: 'cy',
      created_by_passport: 'lead',
    });
    const later = await send('POST', '/v1/work', {
      project_id: 'lighthouse',
      title: 'Paint it',
      created_by_passport: 'lead',
    });
    const elsewhere = await send('POST', '/v1/work', {
      project_id: 'light',
      title: 'Other',
      created_by_passport: 'lead',
    });
    const [one, two, three] = [work, later, elsewhere].map(
      ({ work: item, work_id }) => (work_id ?? item.work_id) as string,
    );
    await send('PUT', `/v1/work/${one}/blockers/${two}`);
    await send('PUT', `/v1/work/${one}/blockers/${three}`);
    const intent = await send('POST', '/v1/coord/announce', {
      session_id: 's-1',
      project_id: 'lighthouse',
      by_passport: 'lead',
      paths: ['src'],
      note: 'At the lamp',
    });
    expect(intent).toBeDefined();
    const page = await graph('lighthouse');
    expect(page).toMatchObject({ truncated: false, next_cursor: null, project_id: 'lighthouse', scan_id: null });
    const [{ intent_id: intentId }] = (await rows<{ intent_id: string }>('select intent_id from coord_intent')) as [
      { intent_id: string },
    ];
    const facts = page.nodes.filter(({ kind }) => kind === 'fact');
    expect(facts.map(({ label }) => label).sort()).toEqual([
      ...['project:lighthouse db', 'project:lighthouse mine', 'project:lighthouse/decisions queue'],
      'project:lighthouse:risks fog',
    ]);
    expect(idsOf(page).filter((id) => !id.startsWith('fact:'))).toEqual([
      ...[
        'project:lighthouse',
        'plane:lighthouse/backend',
        'tenant:acme',
        'tenant:shop',
        'repo:acme/core',
        'repo:acme/lamp',
      ],
      ...['passport:ada', 'passport:bo', 'passport:cy', 'passport:lead'],
      ...['layer:lighthouse/backend:tools', 'layer:lighthouse:style'],
      ...[`work:${one}`, `work:${two}`].sort(),
      `intent:${intentId}`,
    ]);
    expect(
      page.edges
        .map(textOf)
        .filter((edge) => !edge.includes('fact:'))
        .sort(),
    ).toEqual(
      [
        ...['project:lighthouse has_plane plane:lighthouse/backend', 'project:lighthouse works_in tenant:acme'],
        ...['plane:lighthouse/backend works_in tenant:shop', 'project:lighthouse has_repo repo:acme/lamp'],
        ...['plane:lighthouse/backend has_repo repo:acme/core', 'project:lighthouse default_passport passport:lead'],
        ...['plane:lighthouse/backend default_passport passport:ada', 'project:lighthouse has_member passport:ada'],
        ...['plane:lighthouse/backend has_member passport:bo', 'project:lighthouse has_layer layer:lighthouse:style'],
        ...[
          'plane:lighthouse/backend has_layer layer:lighthouse/backend:tools',
          `project:lighthouse has_work work:${one}`,
        ],
        ...[`project:lighthouse has_work work:${two}`, `work:${one} assigned_to passport:cy`],
        ...[`work:${one} blocked_by work:${two}`, `project:lighthouse has_intent intent:${intentId}`],
        `intent:${intentId} announced_by passport:lead`,
      ].sort(),
    );
    expect(page.nodes.find(({ kind }) => kind === 'intent')).toMatchObject({ label: 'At the lamp', ref: 's-1' });
    expect(await graph('lighthouse')).toEqual(page);
  });

  it('has files of the last scan, and their symbols, where they are asked for', async () => {
    const files = await walk('lighthouse', 'include_workspace=true');
    expect(idsOf(files).filter((id) => id.startsWith('file:'))).toEqual([
      'file:README.md',
      'file:src/a.ts',
      'file:src/a.ts!',
    ]);
    expect(idsOf(files).some((id) => id.startsWith('symbol:'))).toBe(false);
    const symbols = await walk('lighthouse', 'include_symbols=true');
    expect(symbols.nodes.filter(({ kind }) => kind === 'symbol')).toEqual(
      ['src/a.ts#1', 'src/a.ts#2', 'src/a.ts!#1', 'src/a.ts!#2'].map((key) => ({
        ...{ id: `symbol:${key}`, kind: 'symbol', label: 'method Lamp.light', ref: `${key.split('#')[0]}:7` },
      })),
    );
    expect(symbols.edges.map(textOf)).toContain(`file:src/a.ts declares ${FIRST.symbol}`);
  });

  it('shows around a node its neighbours and their edges with it', async () => {
    const around = async (id: string, more = '') => walk('lighthouse', `around=${encodeURIComponent(id)}${more}`);
    const plane = await around('plane:lighthouse/backend');
    expect(idsOf(plane)).toEqual([
      ...['project:lighthouse', 'plane:lighthouse/backend', 'tenant:shop', 'repo:acme/core', 'passport:ada'],
      ...['passport:bo', 'layer:lighthouse/backend:tools'],
    ]);
    expect(plane.edges).toHaveLength(6);
    const lead = await around('passport:lead');
    expect(lead.nodes.map(({ kind }) => kind)).toEqual(['project', 'passport', 'intent']);
    const cy = await around('passport:cy');
    expect(cy.nodes.map(({ kind, label }) => `${kind} ${label}`)).toEqual(['passport cy', 'work Light it']);
    const work = await around(idsOf(cy)[1]!);
    expect(work.nodes.map(({ kind }) => kind)).toEqual(['project', 'passport', 'work', 'work']);
    expect(work.edges).toHaveLength(3);
    const file = await around('file:src/a.ts', '&include_symbols=true');
    expect(idsOf(file)).toEqual(['project:lighthouse', 'file:src/a.ts', FIRST.symbol, 'symbol:src/a.ts#2']);
    expect(idsOf(await around(FIRST.symbol, '&include_symbols=true'))).toEqual(['file:src/a.ts', FIRST.symbol]);
    const whole = await walk('lighthouse', 'include_symbols=true');
    for (const id of idsOf(whole)) {
      const found = await around(id, '&include_symbols=true');
      const edges = whole.edges.filter(({ from, to }) => from === id || to === id);
      expect([id, found.edges.map(textOf).sort()]).toEqual([id, edges.map(textOf).sort()]);
      const ends = new Set([id, ...edges.flatMap(({ from, to }) => [from, to])]);
      expect([id, idsOf(found).sort()]).toEqual([id, [...ends].sort()]);
    }
  });

  it("is nothing of another tenant's, and needs admin:read", async () => {
    const other = daemon.as({ scopes: ALL_SCOPES, tenant: 'two' });
    expect((await other('GET', '/v1/projects/lighthouse/context-graph')).status).toBe(404);
    await send('POST', '/v1/projects', { id: 'lighthouse', default_passport_id: 'lead' }, other);
    const page = await graph('lighthouse', 'include_symbols=true', other);
    expect(idsOf(page)).toEqual(['project:lighthouse', 'passport:lead']);
    const reader = daemon.as({ scopes: 'facts:read facts:write query:read' });
    expect((await reader('GET', '/v1/projects/lighthouse/context-graph')).status).toBe(403);
  });

  it('leaves out a plane that is deleted, with its links', async () => {
    await send('POST', '/v1/projects/light/planes', { id: 'gone' });
    await send('POST', '/v1/projects/light/planes/gone/passports', { passport_id: 'bo' });
    await send('DELETE', '/v1/projects/light/planes/gone');
    expect(idsOf(await walk('light')).filter((id) => /^(plane|passport):/.test(id))).toEqual(['passport:lead']);
  });

  it.each([
    ...['cursor=nonsense', 'cursor=', 'around=', 'around=lamp', 'around=lamp:1', 'around=plane:', 'around=fact:%00'],
    ...['include_workspace=maybe', 'include_symbols=2', 'limit=5', `cursor=${cursorOf('lamp', 'a', 0)}`],
    ...[
      `cursor=${cursorOf('plane', 'a', -1)}`,
      `cursor=${cursorOf('plane', 'a', 1.5)}`,
      `cursor=${cursorOf('symbol', 'a', 0)}`,
    ],
    ...[`cursor=${cursorOf('file', 'a', 0)}`, `cursor=${cursorOf('symbol', 'a#99999999999', 0)}&include_symbols=true`],
  ])('refuses %s', async (query) => {
    const { status, body } = await call('GET', `/v1/projects/lighthouse/context-graph?${query}`);
    expect([status, query]).toEqual([400, query]);
    expect(body.detail).toMatch(/query\./);
  });

  it.each(['plane:lighthouse/none', 'fact:none', 'symbol:x', 'symbol:a#99999999999', 'file:src/a.ts', 'work:0'])(
    'has no node %s',
    async (id) => {
      const { status, body } = await call(
        'GET',
        `/v1/projects/lighthouse/context-graph?around=${encodeURIComponent(id)}`,
      );
      expect([status, body.node_id]).toEqual([404, id]);
    },
  );
});

function cursorOf(...parts: unknown[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

describe('a graph of many pages', () => {
  it('shows every node and every edge once, both nodes of an edge before it or with it', async () => {
    await send('POST', '/v1/projects', { id: 'large', default_passport_id: 'lead' });
    await rows(
      `insert into plane (tenant_id, project_id, plane_id, name, default_passport_id, created_by)
       select 'default', 'large', 'p' || n, 'P' || n, 'lead', 'x' from generate_series(1, 1000) n`,
    );
    await rows(
      `insert into project_passport (tenant_id, project_id, plane_id, passport_id, role, created_by)
       select 'default', 'large', 'p' || n, who, 'member', 'x' from generate_series(1, 1000) n, unnest(array['lead', 'ada', 'bo']) who`,
    );
    await asSuperuser(
      daemon.database,
      `insert into work_item (tenant_id, work_id, project_id, title, state, created_by, assignee_passport)
       select 'default', 'w' || n, 'large', 'W' || n, 'ready', 'x', 'ada' from generate_series(1, 1500) n`,
    );
    await asSuperuser(
      daemon.database,
      `insert into work_blocker (tenant_id, work_id, blocker_id, added_by)
       select 'default', 'w' || n, 'w' || (n + 1 + k * 7), 'x' from generate_series(1, 1400) n, generate_series(0, 4) k`,
    );
    await rows(
      `insert into workspace_file select 'default', $1, 'many/' || n || '.ts', 1, 'typescript', 1 from generate_series(1, 1200) n`,
      [SCAN],
    );
    await rows(
      `insert into workspace_symbol select 'default', $1, 'many/' || n || '.ts', 1, 'f', 'function', 1 from generate_series(1, 1200) n`,
      [SCAN],
    );
    const all = await walk('large', 'include_symbols=true');
    const count = (kind: string) => all.nodes.filter((node) => node.kind === kind).length;
    expect(['project', 'plane', 'passport', 'work', 'file', 'symbol'].map((kind) => [kind, count(kind)])).toEqual([
      ...[
        ['project', 1],
        ['plane', 1000],
        ['passport', 3],
        ['work', 1500],
        ['file', 1203],
        ['symbol', 1204],
      ],
    ]);
    const edges = all.edges.map(textOf);
    expect(new Set(edges).size).toBe(edges.length);
    // planes, default passports, members, work, assignments, blockers, files, symbols
    expect(edges.length).toBe(1000 + 1001 + 3000 + 1500 + 1500 + 7000 + 1203 + 1204);
    expect(all.pages).toBeGreaterThan(10);
    const lead = await walk('large', 'around=passport:lead');
    expect([lead.nodes.length, lead.edges.length]).toEqual([1002, 2001]);
  });
});
