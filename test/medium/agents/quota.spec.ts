import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byBearer, startApi, type Answer, type TestApi } from '../../kit/app.js';
import { ingest } from '../retrieval/given.js';
import { givenAgent, ON, standingIn, type TestAgent } from './given.js';

const UPGRADE = 'https://svc.example/sponsors';
const PARALLEL = 200;

/** One grants a budget of 23 queries and 2 credits over, the other allows 7 queries a day. */
let poor: TestApi;
let eager: TestApi;
beforeAll(async () => {
  const env = { ...ON, SVC_UPGRADE_URL: UPGRADE };
  poor = await startApi({ env: { ...env, SVC_SELF_SIGNUP_CREDITS: '117', SVC_SELF_SIGNUP_DAILY_QUERIES: '100' } });
  eager = await startApi({ database: poor.database, env: { ...env, SVC_SELF_SIGNUP_DAILY_QUERIES: '7' } });
  await ingest(poor.tenant, [{ docId: 'open', content: 'Quokkas live on Rottnest.', shareability: 'public_safe' }]);
});
afterAll(async () => {
  await eager.close();
  await poor.close();
});

const ask = (agent: Pick<TestAgent, 'call'>, lane = 'light') =>
  agent.call('POST', '/v1/retrieve', { query: 'quokkas', lane });

/** Many at once, in every lane, spread over the servers. */
function askAtOnce(agent: TestAgent, ...servers: TestApi[]): Promise<Answer[]> {
  const calls = servers.map(({ url }) => byBearer(url, agent.token));
  const lanes = ['light', 'light', 'verified', 'audit'];
  return Promise.all(Array.from({ length: PARALLEL }, (_, n) => ask({ call: calls[n % calls.length]! }, lanes[n % 4])));
}

const countBy = (answers: Answer[]) =>
  answers.reduce<Record<string, number>>((counts, { status, body }) => {
    const name = `${status} ${body.type ?? ''}`.trim();
    return { ...counts, [name]: (counts[name] ?? 0) + 1 };
  }, {});

/** What the refusals said was left, each kind once. */
const leftIn = (answers: Answer[]) => [
  ...new Set(
    answers
      .filter(({ status }) => status === 429)
      .map(({ body }) => `${body.creditBalance} credits, ${body.dailyRemaining} queries`),
  ),
];

/** What the database keeps of an agent: its balance, its queries of the day, how often it was charged. */
async function keptOf({ agentId }: TestAgent) {
  const [row] = await poor.database.query(
    `select (select balance::int from ledger_account where account_id = 'agent:' || $1) as balance,
       (select day_queries from agent where agent_id = $1::uuid) as queries,
       (select count(*)::int from ledger_transfer where agent_id = $1 and reason = 'retrieval') as charges`,
    [agentId],
  );
  return row;
}

describe('an agent without a sponsor', () => {
  it('spends its budget to the last query under 200 parallel calls, and not one more', async () => {
    const agent = await givenAgent(poor.url);
    const answers = await askAtOnce(agent, poor);
    expect(countBy(answers)).toEqual({ '200': 23, '429 QuotaExhausted': PARALLEL - 23 });
    expect(leftIn(answers)).toEqual(['2 credits, 77 queries']);
    for (const answer of answers) {
      const [credits, queries, required] = standingIn(answer);
      expect([Number(credits) >= 2 && Number(credits) <= 112, Number(queries) >= 77, required]).toEqual([
        true,
        true,
        'true',
      ]);
    }
    expect(await keptOf(agent)).toEqual({ balance: 2, queries: 23, charges: 23 });
    const refused = await ask(agent);
    expect([refused.status, refused.headers.get('retry-after'), standingIn(refused)]).toEqual([
      429,
      null,
      ['2', '77', 'true', UPGRADE],
    ]);
    expect(refused.body).toEqual({
      type: 'QuotaExhausted',
      title: expect.any(String),
      status: 429,
      detail: expect.stringContaining('sponsor'),
      message: expect.any(String),
      request_id: expect.any(String),
      code: 'QUOTA_EXHAUSTED',
      retryable: false,
      creditBalance: 2,
      dailyRemaining: 77,
      upgradeUrl: UPGRADE,
    });
    const [sum] = await poor.database.query(
      `select sum(amount)::int as sum from ledger_entry where tenant_id = 'svc-discovery'`,
    );
    expect(sum).toEqual({ sum: 0 });
  });

  it('is held to its queries of the UTC day by two servers together, and starts again on the next', async () => {
    const agent = await givenAgent(eager.url);
    const second = await startApi({ database: poor.database, env: { ...ON, SVC_SELF_SIGNUP_DAILY_QUERIES: '7' } });
    try {
      const answers = await askAtOnce(agent, eager, second);
      expect(countBy(answers)).toEqual({ '200': 7, '429 QuotaExhausted': PARALLEL - 7 });
      expect(leftIn(answers)).toEqual(['465 credits, 0 queries']);
      expect(answers.every((answer) => Number(standingIn(answer)[1]) >= 0)).toBe(true);
    } finally {
      await second.close();
    }
    expect(await keptOf(agent)).toEqual({ balance: 465, queries: 7, charges: 7 });
    const before = Date.now();
    const refused = await ask(agent);
    const { type, creditBalance, dailyRemaining, upgradeUrl, retryAfterSec, retryable } = refused.body;
    expect([type, creditBalance, dailyRemaining, upgradeUrl, retryable]).toEqual([
      'QuotaExhausted',
      465,
      0,
      UPGRADE,
      true,
    ]);
    const midnight = Math.ceil((86_400_000 - (before % 86_400_000)) / 1000);
    expect([retryAfterSec <= midnight, retryAfterSec > midnight - 30]).toEqual([true, true]);
    expect(refused.headers.get('retry-after')).toBe(String(retryAfterSec));
    await poor.database.query('update agent set query_day = query_day - 1 where agent_id = $1', [agent.agentId]);
    expect(standingIn(await agent.call('GET', '/healthz'))).toEqual(['465', '7', 'true', UPGRADE]);
    expect(standingIn(await ask(agent))).toEqual(['460', '6', 'true', UPGRADE]);
  });

  it('has nothing to spend where the budget is nothing', async () => {
    const stingy = await startApi({ database: poor.database, env: { ...ON, SVC_SELF_SIGNUP_CREDITS: '0' } });
    try {
      const agent = await givenAgent(stingy.url);
      const refused = await ask(agent);
      expect([agent.registered.body.creditsRemaining, refused.status, standingIn(refused)[0]]).toEqual([0, 429, '0']);
    } finally {
      await stingy.close();
    }
  });
});
