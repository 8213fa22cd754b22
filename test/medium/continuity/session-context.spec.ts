import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { caller, startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { givenDocument, retrieve } from '../citations/given.js';
import { read, write } from './given.js';

let api: TestApi;
let acme: TestTenant;
beforeAll(async () => {
  api = await startApi();
  acme = api.tenant;
});
afterAll(() => api.close());

const context = async (agentId: string, budget?: number) =>
  (await read(acme, agentId, `session-context${budget === undefined ? '' : `?token_budget=${budget}`}`)).body;
const tokensOf = (text: string) => countTokens(text, { disallowedSpecial: new Set() });

describe('the session context', () => {
  it('shows goals first, then what has changed, then what happened, and counts what it leaves out', async () => {
    await givenDocument(acme, { text: 'Budgets are settled in March.', docId: 'budget' });
    const [{ chunkId }] = await retrieve(acme, 'budgets');
    await write(acme, 'starter', { kind: 'skill', name: 'sql', content: { data: { dialect: 'postgresql' } } });
    await write(acme, 'starter', { kind: 'constraint', name: 'tone', content: { text: 'Be brief.\nBe kind.' } });
    await write(acme, 'starter', {
      kind: 'goal',
      name: 'plan',
      content: { text: 'Plan the year.' },
      pins: [{ chunkId }],
    });
    await acme.call('DELETE', '/v1/documents/handbook/budget');
    const event = {
      watchId: 'w1',
      targetType: 'document',
      targetId: 'handbook/budget',
      change: 'deleted',
      summary: 'It is gone',
    };
    await acme.call('POST', '/v1/home/starter/journal/events', { type: 'watch_alert', data: event });
    const body = await context('starter');
    const times = body.journal.map(({ occurredAt }: any) => `${occurredAt.slice(0, 19)}Z`);
    expect(body.text).toBe(
      [
        '# Session context',
        '## Goals, constraints, preferences, skills',
        '- goal plan (v1): Plan the year.',
        '- constraint tone (v1): Be brief.\n  Be kind.',
        '- skill sql (v1): {"dialect":"postgresql"}',
        '## Pins whose source has changed',
        `- goal plan rests on ${chunkId}: handbook/budget deleted, v1`,
        '## Journal, newest first',
        `- ${times[0]} watch_alert w1: deleted document handbook/budget It is gone`,
        `- ${times[1]} primitive_changed goal/plan: created v1`,
        `- ${times[2]} primitive_changed constraint/tone: created v1`,
        `- ${times[3]} primitive_changed skill/sql: created v1\n`,
      ].join('\n'),
    );
    expect(body).toMatchObject({
      agentId: 'starter',
      tokenBudget: 2000,
      encoding: 'o200k_base',
      tokensUsed: tokensOf(body.text),
      omitted: { primitives: 0, stale_pins: 0, watches: 0, journal: 0 },
    });
    const { body: listed } = await read(acme, 'starter', 'primitives');
    expect(new Set(body.primitives)).toEqual(new Set(listed.primitives));
    expect(body.stale_pins).toEqual((await read(acme, 'starter', 'stale-pins')).body.stale_pins);
    expect(body.journal).toEqual((await read(acme, 'starter', 'journal')).body.entries);
    expect(await context('starter')).toEqual(body);
  });

  it('never exceeds its budget, counts exactly, and grows with it', async () => {
    const texts = [
      'The quick brown fox jumps over the lazy dog. '.repeat(20),
      '<|endoftext|><|fim_prefix|> is only text',
      'naïve 東京 🦘🦘🦘 \u2028 line\r\n\r\n\n  indented /path ///',
      'x'.repeat(3000),
      '- looks like an item\n# looks like a heading\n/slash',
      '   ',
      "don't 12345678 ::::::",
    ];
    for (const [i, text] of texts.entries())
      await write(acme, 'hoarder', {
        kind: i % 2 ? 'preference' : 'goal',
        name: `n ${i}\n/`,
        content: { text, data: { i } },
      });
    let before = -1;
    for (const budget of [
      1, 2, 3, 4, 5, 8, 12, 17, 23, 40, 64, 99, 150, 201, 333, 500, 750, 1000, 1500, 2500, 4000, 32_000,
    ]) {
      const { text, tokensUsed, primitives, journal, omitted } = await context('hoarder', budget);
      expect([budget, tokensUsed <= budget, tokensOf(text)]).toEqual([budget, true, tokensUsed]);
      expect([budget, primitives.length + omitted.primitives, journal.length + omitted.journal]).toEqual([
        budget,
        texts.length,
        texts.length,
      ]);
      for (const { name } of primitives) expect(text).toContain(name.replace(/\s+/g, ' '));
      before = Math.max(before, primitives.length);
    }
    expect(before).toBe(texts.length);
    expect((await context('hoarder', 1)).text).toBe('');
  });

  it('shows the open watches of the agent, newest first, and none while the feature is off', async () => {
    await givenDocument(acme, { text: 'Rents rise in May.', docId: 'rents' });
    const watch = (body: object) => acme.call('POST', '/v1/watches', { agentId: 'watcher', ...body });
    const older = (await watch({ targetType: 'document', targetId: 'handbook/rents', note: 'our rent' })).body.watchId;
    const { watchId } = (await watch({ targetType: 'query', query: { query: 'rents in May' } })).body;
    await acme.call('POST', '/v1/watches', { agentId: 'another', targetType: 'document', targetId: 'handbook/rents' });
    const body = await context('watcher');
    const heading = '# Session context\n## Open watches\n';
    expect(body.text.slice(0, heading.length)).toBe(heading);
    expect(body.watches.map((one: any) => [one.watchId, one.targetType, one.note])).toEqual([
      [watchId, 'query', null],
      [older, 'document', 'our rent'],
    ]);
    expect(body.text).toContain(`- document handbook/rents (watch ${older}, alerts: 0): our rent\n`);
    expect([body.tokensUsed, body.omitted.watches]).toEqual([tokensOf(body.text), 0]);
    expect((await context('watcher', 12)).omitted.watches).toBe(2);
    const off = await startApi({ database: api.database, env: { FEATURE_WATCHES: '0' } });
    const there = caller(off.url, acme.tenantId, acme.apiKey);
    expect((await there('GET', '/v1/home/watcher/session-context')).body.watches).toEqual([]);
    await off.close();
  });

  it('is empty for an agent that nobody has written for', async () => {
    expect(await context('nobody', 100)).toEqual({
      agentId: 'nobody',
      tokenBudget: 100,
      tokensUsed: tokensOf('# Session context\n'),
      encoding: 'o200k_base',
      text: '# Session context\n',
      primitives: [],
      stale_pins: [],
      watches: [],
      journal: [],
      omitted: { primitives: 0, stale_pins: 0, watches: 0, journal: 0 },
    });
  });

  it.each(['0', '-1', '32001', '1.5', 'many', ''])('refuses a budget of %j', async (budget) => {
    const { status, body } = await read(acme, 'nobody', `session-context?token_budget=${budget}`);
    expect([status, body.issues[0].path]).toEqual([400, 'query.token_budget']);
  });
});
