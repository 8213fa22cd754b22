import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startDaemon, type DaemonCall, type TestDaemon } from '../../kit/daemon.js';
import { made, must } from '../work/given.js';
import { FakeGithub } from './fake-github.js';

const ADMIN = 'admin:read admin:write facts:write integrations:install integrations:disable receipts:read';
const ROUTE = '/v1/integrations';
const CONNECT = `${ROUTE}/github/connect`;
const TOKEN = 'ghp_octocatoctocatoctocat';
const github = new FakeGithub();
let daemon: TestDaemon;
let url: string;
beforeAll(async () => {
  url = await github.start();
  daemon = await startDaemon({ env: { SVCD_GITHUB_API_URL: `${url}/` } });
});
afterAll(async () => {
  await daemon.close();
  await github.stop();
});
beforeEach(() => {
  github.broken = undefined;
  github.accounts.clear();
  github.accounts.set(TOKEN, { id: 583231, login: 'octocat', scopes: 'repo, read:org' });
});

const of = (tenant: string, scopes = ADMIN): DaemonCall => daemon.as({ scopes, tenant });
const connect = (by: DaemonCall, token = TOKEN, more: object = {}) => by('POST', CONNECT, { token, ...more });
const connected = async (tenant: string): Promise<{ id: string; secret: string; by: DaemonCall }> => {
  const by = of(tenant);
  const { integration, webhook_secret } = await must(connect(by, TOKEN, { new_webhook_secret: true }));
  return { id: integration.id, secret: webhook_secret, by };
};
const jsonOf = (body: string) => ({ status: 200, headers: { 'content-type': 'application/json' }, body });
const AT = '2026-03-05T12:00:00Z';
const issue = (members: object = {}, more: object = {}) => ({
  ...{ action: 'closed', repository: { id: 7, full_name: 'acme/shop', private: true }, ...more },
  issue: {
    ...{ id: 1, number: 12, title: 'It breaks', html_url: 'https://github.com/acme/shop/issues/12' },
    ...{ state: 'closed', updated_at: AT, body: 'x', ...members },
  },
});

interface Delivery {
  secret: string;
  event?: string;
  delivery?: string;
  signature?: string;
}
async function deliver(id: string, payload: object | string, { secret, ...given }: Delivery) {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const { event = 'issues', delivery = randomUUID() } = given;
  const { signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}` } = given;
  const headers = {
    ...{ 'content-type': 'application/json', 'x-hub-signature-256': signature },
    ...{ 'x-github-event': event, 'x-github-delivery': delivery },
  };
  const answer = await fetch(`${daemon.url}${ROUTE}/github/webhooks/${id}`, { method: 'POST', headers, body });
  return { status: answer.status, body: (await answer.json()) as Record<string, string> };
}

describe('an account of GitHub', () => {
  it('is connected by a token that GitHub takes, which is sealed and never shown', async () => {
    github.accounts.set(TOKEN, {
      id: 1,
      login: 'octocat',
      scopes: 'repo, read:org',
      expires: '2030-01-02 03:04:05 UTC',
    });
    const by = of('acme');
    const answer = await must(connect(by));
    expect(answer).toEqual({
      integration: {
        ...{ id: expect.any(String), provider: 'github', account: 'octocat', account_id: 1 },
        ...{ token_scopes: ['repo', 'read:org'], token_expires_at: '2030-01-02T03:04:05.000Z' },
        ...{ webhook_path: `${ROUTE}/github/webhooks/${answer.integration.id}`, connected_by: 'anonymous' },
        ...{ connected_at: expect.any(String), checked_at: expect.any(String), last_delivery_at: null },
      },
      created: true,
      webhook_secret: expect.stringMatching(/^[0-9a-f]{64}$/),
      receipt_id: expect.any(String),
    });
    expect(github.authorizations.at(-1)).toBe(`token ${TOKEN}`);
    const list = await must(by('GET', ROUTE));
    expect(list).toMatchObject({ integrations: [answer.integration], count: 1, has_more: false });
    const stored = await daemon.database.query<{ all: string }>(
      `select (select json_agg(g) from github_integration g)::text || (select json_agg(e) from outbox_event e)::text as all`,
    );
    for (const secret of [TOKEN, answer.webhook_secret]) {
      expect(JSON.stringify(list)).not.toContain(secret);
      expect(stored[0]!.all).not.toContain(secret);
    }
    const { verified } = await must(by('GET', `/v1/receipts/${answer.receipt_id}/verification?tenant_id=acme`));
    expect(verified).toBe(true);
  });

  it('is there once: another token takes the place of the first, and the webhooks go on', async () => {
    const { id, secret, by } = await connected('again');
    github.accounts.set('ghp_another_token', { id: 583231, login: 'octocat-renamed' });
    const again = await must(connect(by, 'ghp_another_token'));
    expect(again).toMatchObject({
      created: false,
      webhook_secret: null,
      integration: { id, account: 'octocat-renamed' },
    });
    expect((await deliver(id, issue(), { secret })).status).toBe(200);
    const renewed = await must(connect(by, TOKEN, { new_webhook_secret: true }));
    expect((await deliver(id, issue(), { secret })).status).toBe(401);
    expect((await deliver(id, issue(), { secret: renewed.webhook_secret })).status).toBe(200);
  });

  it('is one integration when two connect it at once', async () => {
    const by = of('twice');
    const both = await Promise.all([must(connect(by)), must(connect(by))]);
    expect(both.map(({ created }) => created).sort()).toEqual([false, true]);
    expect((await must(by('GET', ROUTE))).count).toBe(1);
  });

  it('is not connected by what GitHub refuses, and nothing of it is kept or repeated', async () => {
    const by = of('refused');
    const answer = await connect(by, 'ghp_not_a_token');
    expect([answer.status, answer.body.code]).toEqual([422, 'TOKEN_REFUSED']);
    expect(JSON.stringify(answer.body)).not.toContain('ghp_not_a_token');
    expect((await of('refused')('GET', ROUTE)).body.integrations ?? []).toEqual([]);
  });

  it.each([
    ['an error', { status: 502 }],
    ['a rate limit', { status: 403, headers: { 'x-ratelimit-remaining': '0' } }],
    ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:9/elsewhere' } }],
    ['no JSON', { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' }],
    ['another form', { status: 200, headers: { 'content-type': 'application/json' }, body: '{"id":"7"}' }],
    ['a name with NUL', jsonOf('{"login":"a\\u0000b","id":5}')],
    ['a name that is none', jsonOf(JSON.stringify({ login: 'a'.repeat(101), id: 5 }))],
    [
      'more than it should',
      { status: 200, headers: { 'content-type': 'application/json' }, body: ' '.repeat(2 ** 21) },
    ],
  ])('waits for a better time where GitHub answers %s', async (_, broken) => {
    github.broken = broken;
    const answer = await connect(of('late'));
    expect([answer.status, answer.body.code]).toEqual([503, 'GITHUB_UNAVAILABLE']);
  });

  it.each([
    [{}, 'body.token'],
    [{ token: 'short' }, 'body.token'],
    [{ token: 'ghp_with a blank' }, 'body.token'],
    [{ token: TOKEN, url: 'http://10.0.0.1' }, 'body.url'],
    [{ token: TOKEN, new_webhook_secret: 'yes' }, 'body.new_webhook_secret'],
  ])('is refused: %j', async (body, member) => {
    const asked = github.authorizations.length;
    const answer = await of('acme')('POST', CONNECT, body);
    expect([answer.status, answer.body.detail]).toEqual([400, expect.stringContaining(member)]);
    expect(github.authorizations).toHaveLength(asked);
  });

  it('takes a scope of integrations to connect, integrations:disable to disconnect, admin:read to look', async () => {
    const { id } = await connected('scopes');
    const by = (scopes: string) => of('scopes', scopes);
    expect((await connect(by('admin:read admin:write facts:write'))).status).toBe(403);
    expect((await by('integrations:install')('GET', ROUTE)).status).toBe(403);
    expect((await by('integrations:install')('DELETE', `${ROUTE}/${id}`)).status).toBe(403);
    expect((await connect(by('integrations:install'))).status).toBe(200);
    expect((await by('admin:read')('GET', ROUTE)).status).toBe(200);
    expect((await by('integrations:disable')('DELETE', `${ROUTE}/${id}`)).status).toBe(200);
  });

  it('is checked again with the token that is kept', async () => {
    const { id, by } = await connected('checked');
    expect((await must(by('POST', `${ROUTE}/${id}/check`))).integration).toMatchObject({ id, account: 'octocat' });
    expect(github.authorizations.at(-1)).toBe(`token ${TOKEN}`);
    github.accounts.clear();
    expect((await by('POST', `${ROUTE}/${id}/check`)).body.code).toBe('TOKEN_REFUSED');
  });

  it('is gone once it is disconnected: token, secret and reports', async () => {
    const { id, secret, by } = await connected('gone');
    await deliver(id, issue(), { secret });
    expect((await must(by('GET', `${ROUTE}/github/items`))).count).toBe(1);
    const { receipt_id } = await must(by('DELETE', `${ROUTE}/${id}`));
    expect((await must(by('GET', `/v1/receipts/${receipt_id}/verification?tenant_id=gone`))).verified).toBe(true);
    expect((await by('DELETE', `${ROUTE}/${id}`)).body.code).toBe('INTEGRATION_UNKNOWN');
    expect((await deliver(id, issue(), { secret })).status).toBe(401);
    expect((await must(by('GET', `${ROUTE}/github/items`))).count).toBe(0);
    const rows = await daemon.database.query(`select 1 from github_integration where tenant_id = 'gone'`);
    expect(rows).toHaveLength(0);
  });

  it('is of one tenant', async () => {
    const { id } = await connected('mine');
    const other = of('theirs', 'facts:write integrations:install integrations:disable');
    await must(connect(other));
    expect((await other('DELETE', `${ROUTE}/${id}`)).body.code).toBe('INTEGRATION_UNKNOWN');
    expect((await other('DELETE', `${ROUTE}/${id}?tenant_id=mine`)).status).toBe(403);
    expect((await connect(other, TOKEN, { tenant_id: 'mine' })).status).toBe(403);
    expect((await must(of('theirs')('GET', ROUTE))).integrations.map((one: any) => one.id)).not.toContain(id);
  });
});

describe('a webhook', () => {
  it('shows the state, and comments on the work that names the issue, which is not moved', async () => {
    const { id, secret, by } = await connected('linked');
    const named = { linked_issue: 'https://github.com/acme/shop/issues/12', state: 'ready' };
    const item = await made(by, named);
    const short = await made(by, { linked_issue: 'acme/shop#12' });
    await made(by, { linked_issue: 'acme/shop#13' });
    const elsewhere = await made(of('unlinked'), named);
    expect((await deliver(id, issue(), { secret })).body).toEqual({
      received: true,
      duplicate: false,
      outcome: 'linked',
    });
    for (const { id: work } of [item, short]) {
      const { comments } = await must(by('GET', `/v1/work/${work}/comments`));
      expect(comments).toMatchObject([
        {
          author_passport: 'github',
          body: 'Issue acme/shop#12 is closed on GitHub: https://github.com/acme/shop/issues/12',
        },
      ]);
    }
    expect((await must(of('unlinked')('GET', `/v1/work/${elsewhere.id}/comments`))).comments).toEqual([]);
    expect(await must(by('GET', `/v1/work/${item.id}`))).toMatchObject({ state: 'ready', version: item.version });
    expect((await must(by('GET', `${ROUTE}/github/items?state=closed&kind=issue`))).items).toEqual([
      {
        ...{ kind: 'issue', repository: 'acme/shop', number: 12, title: 'It breaks', state: 'closed' },
        ...{ url: named.linked_issue, work_ids: expect.arrayContaining([item.id, short.id]) },
        ...{ changed_at: '2026-03-05T12:00:00.000Z', reported_at: expect.any(String) },
      },
    ]);
    expect((await must(by('GET', `${ROUTE}/github/items?kind=pull_request`))).items).toEqual([]);
    const receipts = await daemon.database.query(
      `select kind from receipt where tenant_id = 'linked' and subject = 'acme/shop#12'`,
    );
    expect(receipts).toEqual([{ kind: 'integration.item_changed' }]);
  });

  it('reports a pull request as merged', async () => {
    const { id, secret, by } = await connected('pulls');
    const item = await made(by, { linked_pr: 'acme/shop#12' });
    const { issue: pull, ...rest } = issue();
    const payload = {
      ...rest,
      pull_request: { ...pull, merged: true, html_url: 'https://github.com/acme/shop/pull/12' },
    };
    const { body } = await deliver(id, payload, { secret, event: 'pull_request' });
    expect(body.outcome).toBe('linked');
    const { comments } = await must(by('GET', `/v1/work/${item.id}/comments`));
    expect(comments[0].body).toContain('Pull request acme/shop#12 is merged');
  });

  it('counts once, and the later change stands, in whatever order and under whatever ids they come', async () => {
    const { id, secret, by } = await connected('order');
    const item = await made(by, { linked_issue: 'acme/shop#12' });
    const delivery = randomUUID();
    const later = issue({ updated_at: '2026-03-05T13:00:00Z', state: 'open' }, { action: 'reopened' });
    const outcome = async (payload: object, more: object = {}) =>
      (await deliver(id, payload, { secret, ...more })).body;
    expect(await outcome(later, { delivery })).toMatchObject({ duplicate: false, outcome: 'linked' });
    expect(await outcome(later, { delivery })).toMatchObject({ duplicate: true, outcome: 'ignored' });
    expect(await outcome(later)).toMatchObject({ duplicate: false, outcome: 'recorded' });
    expect(await outcome(issue())).toMatchObject({ duplicate: false, outcome: 'stale' });
    const many = issue({ updated_at: '2026-03-05T14:00:00Z' });
    const eight = await Promise.all(Array.from({ length: 8 }, () => outcome(many)));
    expect(eight.filter((one) => one.outcome === 'linked')).toHaveLength(1);
    expect((await must(by('GET', `/v1/work/${item.id}/comments`))).comments).toHaveLength(2);
    expect((await must(by('GET', `${ROUTE}/github/items`))).items).toMatchObject([{ state: 'closed' }]);
  });

  it('of another event is taken and left alone', async () => {
    const { id, secret, by } = await connected('ping');
    const { status, body } = await deliver(id, { zen: 'Keep it logically awesome.' }, { secret, event: 'ping' });
    expect([status, body.outcome]).toEqual([200, 'ignored']);
    expect((await must(by('GET', ROUTE))).integrations[0].last_delivery_at).not.toBeNull();
  });

  it('is refused unless its signature covers the body, whoever is named', async () => {
    const { id, secret } = await connected('signed');
    const other = await connected('other');
    const refusals = await Promise.all([
      deliver(id, issue(), { secret: 'wrong' }),
      deliver(id, issue(), { secret, signature: '' }),
      deliver(id, issue(), { secret, signature: `sha256=${'0'.repeat(64)}` }),
      deliver(id, issue(), { secret: other.secret }),
      deliver(randomUUID(), issue(), { secret }),
      deliver(id, 'not even JSON', { secret: 'wrong' }),
    ]);
    expect(refusals.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 401]);
    expect(new Set(refusals.map(({ body }) => body.detail)).size).toBe(1);
  });

  it('without a signature costs the database nothing', async () => {
    const { id, secret } = await connected('unsigned');
    const lookups = async () =>
      /svc_cross_tenant_total\{[^}]*github webhook[^}]*\} (\d+)/.exec(
        await (await fetch(`${daemon.url}/metrics`)).text(),
      )?.[1];
    await deliver(id, issue(), { secret });
    const before = await lookups();
    for (const signature of ['', 'sha1=00', 'sha256=00', `sha256=${'g'.repeat(64)}`])
      expect((await deliver(id, issue(), { secret, signature })).status).toBe(401);
    expect(await lookups()).toBe(before);
    await deliver(id, issue(), { secret: 'wrong' });
    expect(Number(await lookups())).toBe(Number(before) + 1);
  });

  it.each<[string, object | string, object, number]>([
    ['no JSON', 'nothing', {}, 400],
    ['no issue', { action: 'closed', repository: { id: 7, full_name: 'a/b' } }, {}, 400],
    ['a number that is none', issue({ number: 'twelve' }), {}, 400],
    ['a number past 2^53', issue({ number: 2 ** 53 }), {}, 400],
    ['a repository past 2^53', issue({}, { repository: { id: 2 ** 60, full_name: 'a/b' } }), {}, 400],
    ['a page that is no page', issue({ html_url: 'javascript:alert(1)' }), {}, 400],
    ['no delivery id', issue(), { delivery: '' }, 400],
    ['too much', issue({ body: 'x'.repeat(1024 * 1024) }), {}, 413],
  ])('with %s is refused without effect', async (_, payload, more, status) => {
    const { id, secret, by } = await connected('malformed');
    expect((await deliver(id, payload, { secret, ...more })).status).toBe(status);
    expect((await must(by('GET', `${ROUTE}/github/items`))).count).toBe(0);
  });
});

describe('SVCD_INTEGRATIONS_ENABLED', () => {
  it('off closes every address of integrations, before any credential', async () => {
    const closed = await startDaemon({ env: { SVCD_INTEGRATIONS_ENABLED: '0' } });
    try {
      const id = randomUUID();
      const addresses: [string, string][] = [
        ['GET', ROUTE],
        ['POST', CONNECT],
        ['GET', `${ROUTE}/github/items`],
        ['DELETE', `${ROUTE}/${id}`],
        ['POST', `${ROUTE}/github/webhooks/${id}`],
      ];
      for (const [method, path] of addresses) {
        const { status, body } = await closed.as({ scopes: '' })(method, path, method === 'POST' ? {} : undefined);
        expect([path, status, body.flag]).toEqual([path, 404, 'SVCD_INTEGRATIONS_ENABLED']);
      }
    } finally {
      await closed.close();
    }
  });
});
