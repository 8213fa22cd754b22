import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TenantsStore } from '../../../src/common/keys/tenants.store.js';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { anchorAt, claim, dossier, makeProject, must, publish, statesOf, storeFact } from './given.js';

let daemon: TestDaemon;
let ada: DaemonCall;
let bob: DaemonCall;
let other: DaemonCall;
const as = (passport: string, tenant: string) => daemon.as({ scopes: ALL_SCOPES, passport, tenant });
beforeAll(async () => {
  daemon = await startDaemon({ tenants: ['acme', 'globex'] });
  [ada, bob, other] = [as('ada', 'acme'), as('bob', 'acme'), as('ada', 'globex')];
  await makeProject(ada, 'shop');
  await makeProject(other, 'shop');
});
afterAll(() => daemon.close());

const AT = '/v1/projects/shop/dossiers';
const read = (id: string, by = ada) => must(by('GET', `${AT}/${id}`));

describe('a dossier', () => {
  it('is published once, read and listed, with event and receipt', async () => {
    const fact = await storeFact(ada, 'shop', 'port', 'It is 8080.');
    const sent = dossier(
      'shop',
      'first',
      [claim('port', anchorAt('fact', fact.fact_id, 'It is 8080.', '8080')), claim('loose')],
      {
        uncertainties: [{ claim_id: 'loose', reason: 'nobody knows' }],
        open_questions: ['Why?'],
      },
    );
    const stored = await must(ada('POST', AT, sent));
    expect(stored).toMatchObject({ stored: true, dossier_id: 'first', agent: 'ada', claim_count: 2 });
    expect(await must(ada('POST', AT, sent))).toEqual({ ...stored, stored: false });
    const shown = await read('first');
    expect(shown).toMatchObject({
      ...{ dossier_id: 'first', project_id: 'shop', agent_passport: 'ada', origin: 'published' },
      ...{ open_questions: ['Why?'], receipt_id: stored.receipt_id, created_by: 'passport:ada' },
      claims: [
        {
          claim_id: 'port',
          confidence: 0.5,
          state: 'supported',
          why: null,
          anchors: [{ state: 'holds', start: 6, end: 10 }],
        },
        { claim_id: 'loose', state: 'unsupported', why: 'it rests on nothing' },
      ],
      stats: { claims: 2, anchors: 1, supported: 1, unsupported: 1, stale: 0, contradicted: 0 },
    });
    expect(Date.now() - Date.parse(shown.claims[0].checked_at)).toBeLessThan(60_000);
    const { dossiers, count } = await must(ada('GET', `${AT}?agent_passport=ada`));
    expect([count, dossiers[0]]).toMatchObject([
      1,
      { dossier_id: 'first', claim_count: 2, generated_at_unix_ms: 1_700_000_000_000 },
    ]);
    const receipts = await daemon.database.query(`select kind, stream from receipt where subject = 'first'`);
    expect(receipts).toEqual([{ kind: 'dossier.published', stream: 'dossiers/shop' }]);
    const [event] = await daemon.database.query<any>(`select data from outbox_event where kind = 'dossier.published'`);
    expect(event.data).toMatchObject({
      projectId: 'shop',
      dossierId: 'first',
      claimCount: 2,
      contentHash: shown.content_hash,
    });
    expect(JSON.stringify(event)).not.toContain('What port says');
  });

  it('is not changed by another of its id, and can be published as it was read', async () => {
    const refused = await ada('POST', AT, dossier('shop', 'first', []));
    expect([refused.status, refused.body.type]).toEqual([409, 'urn:svc:errors/dossier-exists']);
    const {
      origin: _o,
      content_hash: _c,
      receipt_id: _r,
      created_by: _b,
      created_at: _t,
      ...shown
    } = await read('first');
    expect(await must(ada('POST', AT, { ...shown, dossier_id: 'again' }))).toMatchObject({ stored: true });
    expect(await statesOf(ada, 'shop', 'again')).toEqual({ port: 'supported', loose: 'unsupported' });
  });

  it('shows a changed fact as stale at once, and a retired one', async () => {
    const [first, second] = [await storeFact(ada, 'shop', 'a', 'one'), await storeFact(ada, 'shop', 'b', 'two')];
    const anchors = [first, second].map(({ fact_id, value }) => anchorAt('fact', fact_id, value));
    await publish(ada, 'shop', 'stale', [claim('a', anchors[0]!), claim('b', anchors[1]!), claim('both', ...anchors)]);
    expect(await statesOf(ada, 'shop', 'stale')).toEqual({ a: 'supported', b: 'supported', both: 'supported' });
    const next = await storeFact(ada, 'shop', 'a', 'one');
    expect(await statesOf(ada, 'shop', 'stale')).toEqual({ a: 'stale', b: 'supported', both: 'stale' });
    await must(ada('DELETE', `/v1/facts/${second.fact_id}`));
    expect(await statesOf(ada, 'shop', 'stale')).toEqual({ a: 'stale', b: 'stale', both: 'stale' });
    const [a, b] = (await read('stale')).claims;
    expect(a.anchors[0]).toMatchObject({ state: 'drifted', superseded_by: next.fact_id });
    expect(b.anchors[0]).toMatchObject({ state: 'unavailable', superseded_by: null });
  });

  it('is contradicted by what another says of the same entity and key, in private too, and by itself', async () => {
    const fact = await storeFact(ada, 'shop', 'colour', 'red');
    const anchor = { kind: 'fact', id: fact.fact_id };
    await publish(ada, 'shop', 'contra', [claim('colour', anchor)]);
    await storeFact(bob, 'shop', 'colour', 'red', { private: true });
    expect(await statesOf(ada, 'shop', 'contra')).toEqual({ colour: 'supported' });
    const rival = await storeFact(bob, 'shop', 'colour', 'blue', { private: true });
    const { claims } = await read('contra');
    expect(claims[0]).toMatchObject({ state: 'contradicted', why: expect.stringContaining(rival.fact_id) });
    await publish(bob, 'shop', 'contra-bob', [claim('colour', { kind: 'fact', id: rival.fact_id })], {
      agent_passport: 'bob',
    });
    expect(await statesOf(ada, 'shop', 'contra-bob')).toEqual({ colour: 'contradicted' });
    await must(bob('DELETE', `/v1/facts/${rival.fact_id}`));
    expect(await statesOf(ada, 'shop', 'contra')).toEqual({ colour: 'supported' });
    const contradictions = [{ a: 'x', b: 'y', why: 'not both' }];
    await publish(ada, 'shop', 'itself', [claim('x', anchor), claim('y', anchor), claim('z', anchor)], {
      contradictions,
    });
    expect(await statesOf(ada, 'shop', 'itself')).toEqual({ x: 'contradicted', y: 'contradicted', z: 'supported' });
  });

  it('says nothing of private facts to who does not see them', async () => {
    const made = await TenantsStore.using({ ownerUrl: daemon.database.url }, (store) => store.createKey('acme'));
    const headers = { 'x-tenant-id': 'acme', 'x-api-key': made.key.apiKey };
    const key: DaemonCall = (method, path, body) => daemon.as({})(method, path, body, headers);
    const fact = await storeFact(ada, 'shop', 'secret', 'open');
    await publish(ada, 'shop', 'sight', [claim('secret', { kind: 'fact', id: fact.fact_id })]);
    const rival = await storeFact(bob, 'shop', 'secret', 'sesame', { private: true });
    expect(await statesOf(ada, 'shop', 'sight')).toEqual({ secret: 'contradicted' });
    const shown = await must(key('GET', `${AT}/sight`));
    expect([shown.claims[0].state, JSON.stringify(shown)]).toEqual([
      'supported',
      expect.not.stringContaining(rival.fact_id),
    ]);
    // Its state would say whether the words were guessed right.
    const guess = dossier('shop', 'guess', [claim('s', anchorAt('fact', rival.fact_id, 'sesame', 'se'))]);
    const refused = await key('POST', AT, guess);
    expect([refused.status, refused.body.issues[0].path]).toEqual([400, 'body.claims[0].anchors[0].id']);
  });

  it('rests on work items and receipts as well', async () => {
    const item = await must(
      ada('POST', '/v1/work', { project_id: 'shop', title: 'Pay', body: 'by card', created_by_passport: 'ada' }),
    );
    const { receipt_id } = await storeFact(ada, 'shop', 'r', 'x');
    await publish(ada, 'shop', 'works', [
      claim('work', anchorAt('work', item.id, 'Pay\n\nby card', 'by card')),
      claim('receipt', { kind: 'receipt', id: receipt_id }),
    ]);
    expect(await statesOf(ada, 'shop', 'works')).toEqual({ work: 'supported', receipt: 'supported' });
    await must(ada('PATCH', `/v1/work/${item.id}`, { by_passport: 'ada', body: 'by bank' }));
    expect(await statesOf(ada, 'shop', 'works')).toEqual({ work: 'stale', receipt: 'supported' });
  });
});

describe('refused', () => {
  it.each(Object.keys(dossier('shop', 'x', [])))('is a dossier without %s', async (member) => {
    const { [member]: _, ...rest } = dossier('shop', 'x', []) as Record<string, unknown>;
    const { status, body } = await ada('POST', AT, rest);
    expect([status, body.issues?.map(({ path }: any) => path)]).toEqual([400, [`body.${member}`]]);
  });

  it('is an anchor that names nothing of the tenant: what another tenant has, what there never was, another kind', async () => {
    const theirs = await storeFact(other, 'shop', 'port', '80');
    const ours = await storeFact(ada, 'shop', 'kind', 'x');
    const anchors = [
      { kind: 'fact', id: theirs.fact_id },
      { kind: 'fact', id: 'no-uuid' },
      { kind: 'layer', id: ours.fact_id },
      { kind: 'chunk', id: 'chk_none' },
      { kind: 'receipt', id: theirs.receipt_id },
      { kind: 'work', id: '0190c1de-6f1e-7c3a-9a53-2f4e1f0b7c11' },
    ];
    const { status, body } = await ada('POST', AT, dossier('shop', 'lost', [claim('a', ...anchors)]));
    expect([status, body.issues.map(({ path }: any) => path)]).toEqual([
      400,
      anchors.map((_, place) => `body.claims[0].anchors[${place}].id`),
    ]);
    expect((await ada('GET', `${AT}/lost`)).status).toBe(404);
  });

  it.each<[string, object, string]>([
    ['another project', { project_id: 'other' }, 'body.project_id'],
    ['a name that is an address', { dossier_id: 'diff' }, 'body.dossier_id'],
    ['a name with a slash', { dossier_id: 'a/b' }, 'body.dossier_id'],
    ['a member that there is not', { colour: 'red' }, 'body.colour'],
    ['a time that is none', { generated_at_unix_ms: 'now' }, 'body.generated_at_unix_ms'],
    ['claims that are no list', { claims: {} }, 'body.claims'],
    ['a confidence beyond 1', { claims: [{ ...claim('a'), confidence: 2 }] }, 'body.claims[0].confidence'],
    [
      'a digest that is none',
      { claims: [claim('a', { kind: 'fact', id: 'f', quote_blake3: 'md5:1' })] },
      'body.claims[0].anchors[0].quote_blake3',
    ],
    [
      'a kind that there is not',
      { claims: [claim('a', { kind: 'rumour', id: 'f' })] },
      'body.claims[0].anchors[0].kind',
    ],
    [
      'more questions than it may have',
      { open_questions: Array.from({ length: 201 }, () => '?') },
      'body.open_questions',
    ],
  ])('is %s', async (_what, more, path) => {
    const { status, body } = await ada('POST', AT, { ...dossier('shop', 'bad', []), ...more });
    expect([status, body.issues?.[0]?.path]).toEqual([400, path]);
  });

  it('is another passport than the acting one, and either scope alone', async () => {
    expect((await ada('POST', AT, dossier('shop', 'x', [], { agent_passport: 'bob' }))).status).toBe(403);
    for (const scopes of ['admin:read', 'facts:write'])
      for (const path of [AT, `${AT}/auto`]) {
        const { status, body } = await daemon.as({ scopes, tenant: 'acme' })('POST', path, dossier('shop', 'x', []));
        expect([path, scopes, status, body.missingScopes?.length]).toEqual([path, scopes, 403, 1]);
      }
  });

  it('is a project that there is not, on every route', async () => {
    const at = '/v1/projects/none/dossiers';
    const calls = [
      ada('GET', at),
      ada('POST', at, dossier('none', 'x', [])),
      ada('POST', `${at}/auto`),
      ada('GET', `${at}/x`),
      ada('GET', `${at}/diff?a=1&b=2`),
      ada('GET', `${at}/reconcile`),
    ];
    for (const { status, body } of await Promise.all(calls))
      expect([status, body.type]).toEqual([404, 'urn:svc:errors/project-unknown']);
  });
});

describe('several dossiers', () => {
  it('are compared claim by claim', async () => {
    const claims = (text: string, ...more: object[]) => [{ ...claim('a'), text }, ...more];
    await publish(ada, 'shop', 'd1', claims('It is 80 here.', claim('gone')));
    await publish(ada, 'shop', 'd2', claims('It is 81 here.', claim('new')));
    const diff = await must(ada('GET', `${AT}/diff?a=d1&b=d2`));
    expect(diff).toMatchObject({
      added: [{ claim_id: 'new' }],
      removed: [{ claim_id: 'gone' }],
      changed: [{ claim_id: 'a', before: 'It is 80 here.', after: 'It is 81 here.' }],
      unchanged: 0,
    });
    expect(diff.changed[0].parts.map(({ kind }: any) => kind)).toEqual(['same', 'removed', 'added', 'same']);
    expect((await ada('GET', `${AT}/diff?a=d1&b=none`)).status).toBe(404);
    expect((await ada('GET', `${AT}/diff`)).body.issues.map(({ path }: any) => path)).toEqual(['query.a', 'query.b']);
  });

  it('of agents are held against each other, subject by subject and page by page', async () => {
    await makeProject(ada, 'agents');
    const fact = await storeFact(ada, 'agents', 'port', '80');
    const at = (id: string) => ({ kind: 'fact', id });
    await publish(ada, 'agents', 'old', [claim('never', at(fact.fact_id))]);
    await publish(ada, 'agents', 'a', [claim('1', at(fact.fact_id)), claim('own', at(fact.fact_id)), claim('2')]);
    const next = await storeFact(ada, 'agents', 'port', '81');
    await publish(bob, 'agents', 'b', [claim('x', at(next.fact_id)), claim('2')], { agent_passport: 'bob' });
    const rows: any[] = [];
    for (let cursor = ''; ;) {
      const page = await must(ada('GET', `/v1/projects/agents/dossiers/reconcile?limit=1${cursor}`));
      expect(page.dossiers.map(({ dossier_id }: any) => dossier_id)).toEqual(['a', 'b']);
      rows.push(...page.rows);
      if (!page.has_more) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(rows).toMatchObject([
      { subject: 'claim 2', agreement: 'agree' },
      {
        subject: 'project:agents | port',
        agreement: 'contradict',
        claims: [{ state: 'stale' }, { state: 'stale' }, { state: 'supported' }],
      },
    ]);
  });

  it('are listed page by page, newest first', async () => {
    await makeProject(ada, 'pages');
    for (const id of ['p1', 'p2', 'p3']) await publish(ada, 'pages', id, []);
    const first = await must(ada('GET', '/v1/projects/pages/dossiers?limit=2'));
    const second = await must(ada('GET', `/v1/projects/pages/dossiers?limit=2&cursor=${first.next_cursor}`));
    expect([...first.dossiers, ...second.dossiers].map(({ dossier_id }: any) => dossier_id)).toEqual([
      'p3',
      'p2',
      'p1',
    ]);
    expect([first.has_more, second.has_more]).toEqual([true, false]);
    expect((await ada('GET', '/v1/projects/pages/dossiers?cursor=x')).status).toBe(400);
  });

  it('are listed without being read, however long they are', async () => {
    await makeProject(ada, 'wide');
    await publish(ada, 'wide', 'first', [claim('one')]);
    const rest =
      'agent_passport, generated_at_unix_ms, origin, based_on, uncertainties, contradictions, open_questions, content_hash, receipt_id, created_by';
    await daemon.database.query(
      `insert into dossier (tenant_id, project_id, dossier_id, claims, ${rest})
       select tenant_id, project_id, dossier_id || n, json_build_array(json_build_object('claim_id', 'one', 'text', repeat('x', 8000000))), ${rest}
       from dossier, generate_series(1, 60) n where project_id = 'wide'`,
    );
    const before = process.resourceUsage().maxRSS;
    const { count, dossiers } = await must(ada('GET', '/v1/projects/wide/dossiers?limit=200'));
    expect([count, dossiers[60].claim_count]).toEqual([61, 1]);
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(150_000);
  });

  it('of another tenant are not there, in its project of the same name', async () => {
    await publish(other, 'shop', 'theirs', []);
    expect((await ada('GET', `${AT}/theirs`)).status).toBe(404);
    expect(JSON.stringify(await must(ada('GET', AT)))).not.toContain('theirs');
    expect((await must(other('GET', AT))).dossiers.map(({ dossier_id }: any) => dossier_id)).toEqual(['theirs']);
  });
});

describe('a dossier that the server makes', () => {
  it('has what everybody may see of the project, and goes stale like any other', async () => {
    await makeProject(ada, 'auto');
    await storeFact(ada, 'auto', 'port', '80', { confidence: 0.4 });
    await storeFact(ada, 'auto', 'question:tax', 'Which rate?');
    await storeFact(ada, 'auto-two', 'port', 'of another project');
    await storeFact(ada, 'auto/api', 'port', '81');
    await storeFact(ada, 'auto', 'secret', 'mine', { private: true });
    await must(
      ada('POST', '/v1/work', {
        project_id: 'auto',
        title: 'Pay',
        created_by_passport: 'ada',
        state: 'blocked',
        blocker_kind: 'needs_info',
        blocker_reason: 'which bank?',
      }),
    );
    const made = await must(ada('POST', '/v1/projects/auto/dossiers/auto'));
    expect(made.claims.map(({ text }: any) => text)).toEqual(['port: 80', 'question:tax: Which rate?', 'api port: 81']);
    expect(made).toMatchObject({
      ...{ origin: 'auto', agent_passport: 'ada', open_questions: ['Which rate?', 'Pay: which bank?'] },
      ...{ uncertainties: [{ claim_id: made.claims[0].claim_id }], stats: { supported: 3 } },
    });
    expect(made.based_on.facts).toHaveLength(3);
    await storeFact(ada, 'auto', 'port', '82');
    expect((await must(ada('GET', `/v1/projects/auto/dossiers/${made.dossier_id}`))).stats).toMatchObject({
      supported: 2,
      stale: 1,
    });
    const next = await must(ada('POST', '/v1/projects/auto/dossiers/auto'));
    const diff = await must(ada('GET', `/v1/projects/auto/dossiers/diff?a=${made.dossier_id}&b=${next.dossier_id}`));
    expect(diff).toMatchObject({
      added: [],
      removed: [],
      changed: [{ before: 'port: 80', after: 'port: 82' }],
      unchanged: 2,
    });
  });

  it('asks what waits for information, however much waits for an approval before it', async () => {
    await makeProject(ada, 'asking');
    const blocked = (blocker_kind: string, priority: number) =>
      must(
        ada('POST', '/v1/work', {
          ...{ project_id: 'asking', title: 'Pay', created_by_passport: 'ada', state: 'blocked' },
          ...{ blocker_kind, blocker_reason: 'which bank?', priority },
        }),
      );
    for (let n = 0; n < 200; n += 20) await Promise.all(Array.from({ length: 20 }, () => blocked('needs_approval', 0)));
    await blocked('needs_info', 4);
    const made = await must(ada('POST', '/v1/projects/asking/dossiers/auto'));
    expect(made.open_questions).toEqual(['Pay: which bank?']);
  });
});
