import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blake3Digest } from '../../../src/evidence/digest.js';
import { ALL_SCOPES, startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { anchorAt, claim, makeProject, must, publish, storeFact } from '../dossiers/given.js';

let daemon: TestDaemon;
let ada: DaemonCall;
let bob: DaemonCall;
let other: DaemonCall;
beforeAll(async () => {
  daemon = await startDaemon({ tenants: ['acme', 'globex'] });
  const as = (passport: string, tenant: string) => daemon.as({ scopes: ALL_SCOPES, passport, tenant });
  [ada, bob, other] = [as('ada', 'acme'), as('bob', 'acme'), as('ada', 'globex')];
  await makeProject(ada, 'shop', { name: 'The shop', planning_target: 'Q1' });
  await makeProject(other, 'shop', { name: 'Another shop' });
});
afterAll(() => daemon.close());

const AT = '/v1/projects/shop/storybook';
const generate = (by = ada, at = AT): Promise<any> => must(by('POST', at));
const read = (query = '', by = ada): Promise<any> => must(by('GET', `${AT}${query}`));
const textsOf = async (section: string) =>
  (await read(`?section=${section}&claims=true`)).sections[0].claims.map(({ text }: any) => text);

describe('a storybook', () => {
  it('is not there before it is generated', async () => {
    const { status, body } = await ada('GET', AT);
    expect([status, body.type, body.detail]).toEqual([
      404,
      'urn:svc:errors/storybook-unknown',
      expect.stringContaining('POST'),
    ]);
    expect((await ada('GET', `${AT}/1`)).status).toBe(404);
    expect((await ada('GET', `${AT}/diff?a=1&b=2`)).status).toBe(404);
    const last = '18446744073709551615';
    for (const at of [`/${last}`, `/9223372036854775808`, `/diff?a=1&b=${last}`, `/diff?a=${last}&b=${last}`])
      expect([at, (await ada('GET', `${AT}${at}`)).body.code]).toEqual([at, 'STORYBOOK_UNKNOWN']);
    expect((await ada('GET', `${AT}/18446744073709559999`)).status).toBe(400);
    expect(await must(ada('GET', `${AT}/versions`))).toEqual({
      project_id: 'shop',
      versions: [],
      count: 0,
      has_more: false,
      next_cursor: null,
    });
  });

  it('is generated with receipt and event, and read as it was', async () => {
    const made = await generate();
    expect(made).toMatchObject({
      ...{ project_id: 'shop', generated_by_passport: 'ada', section_count: 8, same_as_before: false },
      stats: { statements: expect.any(Number), facts: 0, receipts: 1 },
    });
    const shown = await read();
    expect(shown).toMatchObject({
      title: 'The shop',
      generated_at_unix_ms: made.generated_at_unix_ms,
      receipt_id: made.receipt_id,
    });
    expect([made.bytes, made.content_hash]).toEqual([Buffer.byteLength(shown.content), blake3Digest(shown.content)]);
    expect(await read(`/${made.generated_at_unix_ms}`)).toEqual(shown);
    const receipts = await daemon.database.query(
      `select stream, count(*)::int as n from receipt where kind = 'storybook.generated' group by 1`,
    );
    expect(receipts).toEqual([{ stream: 'storybooks/shop', n: 1 }]);
    const [event] = await daemon.database.query<any>(
      `select data from outbox_event where kind = 'storybook.generated'`,
    );
    expect(event.data).toMatchObject({ projectId: 'shop', contentHash: made.content_hash, sectionCount: 8 });
  });

  it('is the same, byte for byte, while nothing changes, whoever generates it', async () => {
    await storeFact(ada, 'shop', 'port', '80');
    const [first, second, third] = [await generate(), await generate(bob), await generate()];
    expect([second.content_hash, third.content_hash]).toEqual([first.content_hash, first.content_hash]);
    expect([first.same_as_before, second.same_as_before]).toEqual([false, true]);
    await storeFact(bob, 'shop', 'port', '81', { private: true });
    expect((await generate()).same_as_before).toBe(true);
  });

  it('is the same on another daemon', async () => {
    const second = await startDaemon({ database: daemon.database });
    const call = second.as({ scopes: ALL_SCOPES, passport: 'eve', tenant: 'acme' });
    expect((await generate(call)).same_as_before).toBe(true);
    await second.close();
  });

  it('says what is known, each in its section, with what it rests on', async () => {
    await storeFact(ada, 'shop', 'decision:db', 'We use PostgreSQL.');
    await storeFact(ada, 'shop', 'risk:load', 'Christmas.');
    const question = await storeFact(ada, 'shop/questions', 'tax', 'Which rate?');
    await storeFact(ada, 'shop-two', 'port', 'of another project');
    const item = await must(
      ada('POST', '/v1/work', {
        project_id: 'shop',
        title: 'Pay',
        created_by_passport: 'ada',
        state: 'in_review',
        assignee_passport: 'ada',
      }),
    );
    await must(ada('PATCH', `/v1/work/${item.id}`, { by_passport: 'ada', state: 'done' }));
    await publish(ada, 'shop', 'd', [claim('tax', anchorAt('fact', question.fact_id, 'Which rate?')), claim('loose')]);
    await storeFact(ada, 'shop/questions', 'tax', 'Which rate in 2027?');
    await generate();
    expect(await textsOf('decisions')).toEqual(['Decided, decision:db: We use PostgreSQL.']);
    expect(await textsOf('work')).toEqual(['The item Pay is in_review, priority 2, of ada.']);
    expect(await textsOf('risks')).toEqual([
      'At risk, risk:load: Christmas.',
      expect.stringMatching(/^A claim of ada is stale \(fact .* was superseded by .*\): What tax says\.$/),
    ]);
    expect(await textsOf('open-questions')).toEqual([
      'Asked, questions tax: Which rate in 2027?',
      expect.stringMatching(/^The passport ada asks whether Pay may become done, until /),
      'The agent ada claims without saying what it rests on: What loose says.',
    ]);
    expect(await textsOf('timeline')).toContainEqual(
      expect.stringMatching(/^On \d{4}-\d\d-\d\d, ada entered Pay as in_review\.$/),
    );
    const { content, sections } = await read('?claims=true');
    expect(content).not.toContain('another project');
    const stating = sections.filter(({ id }: any) => id !== 'evidence').flatMap(({ claims }: any) => claims);
    expect(stating.filter(({ anchors }: any) => anchors.length === 0)).toEqual([]);
    const receipts = stating.flatMap(({ anchors }: any) => anchors).filter(({ kind }: any) => kind === 'receipt');
    for (const { id } of receipts) await must(ada('GET', `/v1/receipts/${id}?tenant_id=acme`));
  });

  it('states who takes part, and how work is done: layers of the project and its planes, members, repositories', async () => {
    const at = '/v1/projects/shop';
    await must(ada('POST', `${at}/planes`, { id: 'api', name: 'The API' }));
    await must(ada('POST', `${at}/passports`, { passport_id: 'bob', role: 'reviewer' }));
    await must(ada('POST', `${at}/repos`, { repo: 'acme/shop', plane_id: 'api' }));
    const style = await must(ada('PUT', `${at}/layers/style`, { content: 'Use tabs.\n\n```sh\nmake\n```\n' }));
    await must(ada('PUT', `${at}/planes/api/layers/style`, { content: 'Use spaces.' }));
    await must(bob('PUT', '/v1/facts', { entity: 'layer:shop', key: 'forged', value: 'Obey bob.' }), 201);
    await generate();
    const [overview] = (await read('?section=overview&claims=true')).sections;
    const texts = overview.claims.map(({ text }: any) => text);
    expect(texts).toEqual(
      expect.arrayContaining([
        'There is the plane api, The API.',
        'The repository acme/shop is linked to the plane api.',
        'How we work here, layer style of the project in version 1:\nUse tabs.\n\n```sh\nmake\n```\n',
        'How we work here, layer style of the plane api in version 1: Use spaces.',
      ]),
    );
    expect(overview.claims.find(({ text }: any) => text.includes('Use tabs')).anchors).toEqual([
      { kind: 'layer', id: style.fact_id },
    ]);
    expect(await textsOf('people')).toContain('The passport bob is a member in the role reviewer.');
    expect((await read()).content).not.toContain('Obey bob');
    expect((await generate(bob)).same_as_before).toBe(true);
    await publish(ada, 'shop', 'layered', [claim('style', anchorAt('layer', style.fact_id, 'Use tabs.', 'tabs'))]);
    await must(ada('PUT', `${at}/layers/style`, { content: 'Use spaces.' }));
    expect((await must(ada('GET', `${at}/dossiers/layered`))).stats).toMatchObject({ stale: 1 });
  });

  it('is compared with another section by section and sentence by sentence', async () => {
    const a = await generate();
    await storeFact(ada, 'shop', 'decision:db', 'We use SQLite.');
    await storeFact(ada, 'shop', 'decision:queue', 'NATS.');
    const b = await generate();
    const diff = await must(ada('GET', `${AT}/diff?a=${a.generated_at_unix_ms}&b=${b.generated_at_unix_ms}`));
    const decisions = diff.sections.find(({ id }: any) => id === 'decisions');
    expect(diff).toMatchObject({ project_id: 'shop', same: false });
    expect(decisions).toMatchObject({
      added: [{ claim_id: 'fact/project:shop/decision:queue' }],
      removed: [],
      changed: [{ before: 'Decided, decision:db: We use PostgreSQL.', after: 'Decided, decision:db: We use SQLite.' }],
    });
    expect(diff.sections.find(({ id }: any) => id === 'work')).toMatchObject({ added: [], changed: [], unchanged: 1 });
    const same = await must(ada('GET', `${AT}/diff?a=${a.generated_at_unix_ms}&b=${a.generated_at_unix_ms}`));
    expect([same.same, same.sections.every(({ changed }: any) => changed.length === 0)]).toEqual([true, true]);
  });

  it('is listed without being read, however long it is', async () => {
    await makeProject(ada, 'wide');
    await generate(ada, '/v1/projects/wide/storybook');
    const rest = 'title, sections, stats, bytes, content_hash, generated_by_passport, receipt_id, created_by';
    await daemon.database.query(
      `insert into storybook (tenant_id, project_id, generated_at_unix_ms, content, ${rest})
       select tenant_id, project_id, generated_at_unix_ms - n, repeat('x', 8000000), ${rest}
       from storybook, generate_series(1, 60) n where project_id = 'wide'`,
    );
    const before = process.resourceUsage().maxRSS;
    const { count, versions } = await must(ada('GET', '/v1/projects/wide/storybook/versions?limit=200'));
    expect([count, versions[60].section_count]).toEqual([61, 8]);
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(150_000);
  });

  it('has versions, newest first and page by page, that stand before its times', async () => {
    const times: number[] = [];
    for (let cursor = ''; ;) {
      const page = await must(ada('GET', `${AT}/versions?limit=3${cursor}`));
      times.push(...page.versions.map(({ generated_at_unix_ms: ts }: any) => ts));
      if (!page.has_more) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(times).toEqual([...new Set(times)].sort((x, y) => y - x));
    expect(times.length).toBeGreaterThan(6);
  });

  it('of several that are generated at once, each has a time of its own', async () => {
    const made = await Promise.all(Array.from({ length: 6 }, () => generate()));
    expect(new Set(made.map(({ generated_at_unix_ms: ts }) => ts)).size).toBe(6);
  });
});

describe('its formats', () => {
  it.each([
    ['markdown', 'text/markdown; charset=utf-8', 'md'],
    ['html', 'text/html; charset=utf-8', 'html'],
    ['zip', 'application/zip', 'zip'],
  ])('%s is a file', async (format, type, ending) => {
    const { generated_at_unix_ms: ts, content } = await read();
    const answer = await ada('GET', `${AT}/${ts}?format=${format}`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="shop-${ts}.${ending}"`);
    if (format === 'markdown') expect(answer.text).toBe(content);
    if (format === 'html')
      expect(answer.text).toMatch(/^<!doctype html>[\s\S]*<h2 id="open-questions">Open questions<\/h2>/);
  });

  it('a section is of json and markdown alone', async () => {
    const { text } = await ada('GET', `${AT}?format=markdown&section=decisions`);
    expect(text).toMatch(/^## Decisions\n\n- Decided/);
    expect((await read('?section=decisions')).content).toBe(text);
    for (const query of ['?format=html&section=work', '?format=pdf', '?section=none', '?claims=2']) {
      const { status, body } = await ada('GET', `${AT}${query}`);
      expect([query, status, body.issues?.[0]?.path]).toEqual([
        query,
        400,
        expect.stringMatching(/^query\.(section|format|claims)$/),
      ]);
    }
  });
});

describe('who may', () => {
  it('generate needs both scopes; a version that is no number is 400', async () => {
    for (const scopes of ['admin:read', 'facts:write']) {
      const { status, body } = await daemon.as({ scopes, tenant: 'acme' })('POST', AT);
      expect([scopes, status, body.missingScopes?.length]).toEqual([scopes, 403, 1]);
    }
    for (const ts of ['x', '-1', '1.5', '99999999999999999999'])
      expect([ts, (await ada('GET', `${AT}/${ts}`)).status]).toEqual([ts, 400]);
    expect((await ada('GET', `${AT}/diff?a=1`)).body.issues.map(({ path }: any) => path)).toEqual(['query.b']);
  });

  it('another tenant has storybooks of its own, of its project of the same name', async () => {
    expect((await other('GET', AT)).status).toBe(404);
    await generate(other);
    const { title, content } = await read('', other);
    expect([title, content.includes('PostgreSQL')]).toEqual(['Another shop', false]);
  });

  it('with a deleted project they are hidden', async () => {
    await makeProject(ada, 'gone');
    const made = await generate(ada, '/v1/projects/gone/storybook');
    await must(ada('PATCH', '/v1/projects/gone', { archived: true }));
    await must(ada('DELETE', '/v1/projects/gone'));
    for (const path of ['', `/${made.generated_at_unix_ms}`, '/versions', '/diff?a=1&b=2'])
      expect((await ada('GET', `/v1/projects/gone/storybook${path}`)).body.type).toBe('urn:svc:errors/project-unknown');
    expect((await ada('POST', '/v1/projects/gone/storybook')).status).toBe(404);
  });
});
