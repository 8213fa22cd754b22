import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type Answer, type TestApi, type TestTenant } from '../../kit/app.js';
import { walk } from '../continuity/given.js';

const SUMMARY = '/v1/feedback/revenue/summary';
const TIME = expect.stringMatching(/^\d{4}-.*Z$/);

let api: TestApi;
let acme: TestTenant;
let other: TestTenant;
beforeAll(async () => {
  api = await startApi();
  acme = api.tenant;
  other = await api.addTenant('other');
});
afterAll(() => api.close());

const declare = (members: object = {}, tenant = acme): Promise<Answer> =>
  tenant.call('POST', '/v1/feedback/revenue/declarations', {
    subject: 'pdf-export',
    amountMinor: 1250,
    currency: 'GBP',
    period: 'monthly',
    ...members,
  });
const review = (id: string, decision: string, tenant = acme): Promise<Answer> =>
  tenant.call('POST', `/v1/feedback/review/declarations/${id}`, { decision, reason: 'because' });

describe('a declaration', () => {
  it('is kept with its request, reviewed, and keeps who, when and why', async () => {
    const { body: request } = await acme.call('POST', '/v1/feedback/requests', { title: 'PDF', body: 'x' });
    const { requestId } = request;
    const { status, body } = await declare({ requestId, agentId: 'payer', note: 'per seat', subject: 'kept' });
    const by = `key:${acme.keyId}`;
    const change = { from: null, to: 'pending', principal: by, reason: null, at: TIME };
    const record = {
      declarationId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      agentId: 'payer',
      subject: 'kept',
      requestId,
      amountMinor: 1250,
      currency: 'GBP',
      period: 'monthly',
      note: 'per seat',
      status: 'pending',
      declaredBy: by,
      declaredAt: TIME,
      updatedAt: TIME,
      operatorAnswer: null,
      history: [change],
    };
    expect([status, body]).toEqual([201, record]);
    const waiting = await acme.call('GET', `${SUMMARY}?subject=kept`);
    expect(waiting.body.awaiting_review).toEqual([body]);
    const asked = await review(body.declarationId, 'needs_info');
    const question = { from: 'pending', to: 'needs_info', principal: by, reason: 'because', at: TIME };
    expect([asked.status, asked.body]).toEqual([200, { ...record, status: 'needs_info', history: [change, question] }]);
    const taken = await review(body.declarationId, 'accepted');
    expect(taken.body.history.at(-1)).toEqual({ ...question, from: 'needs_info', to: 'accepted' });
    for (const decision of ['accepted', 'rejected', 'needs_info']) {
      const late = await review(body.declarationId, decision);
      expect([late.status, late.body.type, late.body.current, late.body.allowed]).toEqual([
        409,
        'TransitionNotAllowed',
        'accepted',
        [],
      ]);
    }
    const events = await api.database.query<{ kind: string }>(
      'select kind from outbox_event where subject = $1 order by transaction, position',
      [body.declarationId],
    );
    expect(events.map(({ kind }) => kind)).toEqual([
      'feedback.revenue_declared',
      'feedback.declaration_reviewed',
      'feedback.declaration_reviewed',
    ]);
  });

  it('is decided once when several decide at once', async () => {
    const { declarationId } = (await declare()).body;
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => review(declarationId, i % 2 ? 'accepted' : 'rejected')),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
  });

  it.each<[object, string]>([
    [{ amountMinor: 12.5 }, 'body.amountMinor'],
    [{ amountMinor: '1250' }, 'body.amountMinor'],
    [{ amountMinor: 0 }, 'body.amountMinor'],
    [{ amountMinor: 1e300 }, 'body.amountMinor'],
    [{ currency: 'gbp' }, 'body.currency'],
    [{ currency: 'JPY' }, 'body.currency'],
    [{ period: 'daily' }, 'body.period'],
    [{ subject: '' }, 'body.subject'],
    [{ requestId: 'x' }, 'body.requestId'],
    [{ requestId: '00000000-0000-4000-8000-000000000000' }, 'body.requestId'],
    [{ amount: 5 }, 'body.amount'],
  ])('is refused with %j', async (members, path) => {
    const { status, body } = await declare(members);
    expect([status, body.issues[0].path]).toEqual([400, path]);
  });

  it("of another tenant is not there, nor is another tenant's request", async () => {
    const { declarationId } = (await declare()).body;
    const { status, body } = await review(declarationId, 'accepted', other);
    expect([status, body.type]).toEqual([404, 'DeclarationUnknown']);
    const { requestId } = (await acme.call('POST', '/v1/feedback/requests', { title: 'Ours', body: 'x' })).body;
    expect((await declare({ requestId }, other)).body.issues[0].path).toBe('body.requestId');
    expect((await other.call('GET', SUMMARY)).body).toEqual({
      count: 0,
      totals: [],
      subjects: [],
      awaiting_review: [],
      next_cursor: null,
    });
  });
});

describe('the summary', () => {
  it('adds up exactly, by currency, period, status and subject', async () => {
    const third = await api.addTenant('third');
    const given: [string, number, string, string][] = [
      ['a', 100, 'GBP', 'monthly'],
      ['a', 300, 'GBP', 'monthly'],
      ['b', 999_999_999, 'GBP', 'monthly'],
      ['b', 200, 'GBP', 'monthly'],
      ['b', 70, 'EUR', 'once'],
      ['c', 80, 'EUR', 'once'],
      ['c', 90, 'EUR', 'once'],
    ];
    const ids = [];
    for (const [subject, amountMinor, currency, period] of given) {
      ids.push((await declare({ subject, amountMinor, currency, period }, third)).body.declarationId);
    }
    await review(ids[0], 'accepted', third);
    const total = (currency: string, period: string, status: string, amounts: number[], median: number) => ({
      currency,
      period,
      status,
      count: amounts.length,
      totalMinor: amounts.reduce((sum, amount) => sum + amount, 0),
      medianMinor: median,
      minMinor: Math.min(...amounts),
      maxMinor: Math.max(...amounts),
    });
    const subjects = [
      { subject: 'a', ...total('GBP', 'monthly', 'accepted', [100], 100) },
      { subject: 'a', ...total('GBP', 'monthly', 'pending', [300], 300) },
      { subject: 'b', ...total('EUR', 'once', 'pending', [70], 70) },
      { subject: 'b', ...total('GBP', 'monthly', 'pending', [999_999_999, 200], 200) },
      { subject: 'c', ...total('EUR', 'once', 'pending', [80, 90], 80) },
    ];
    const { body } = await third.call('GET', SUMMARY);
    expect({ ...body, awaiting_review: body.awaiting_review.map(({ declarationId }: any) => declarationId) }).toEqual({
      count: 7,
      totals: [
        total('EUR', 'once', 'pending', [70, 80, 90], 80),
        total('GBP', 'monthly', 'accepted', [100], 100),
        total('GBP', 'monthly', 'pending', [300, 999_999_999, 200], 300),
      ],
      subjects,
      awaiting_review: ids.slice(1),
      next_cursor: null,
    });
    expect(await walk(third, SUMMARY, 'subjects', 2)).toEqual(subjects);
    const { body: filtered } = await third.call('GET', `${SUMMARY}?currency=EUR&subject=c`);
    expect([filtered.count, filtered.subjects]).toEqual([2, subjects.slice(4)]);
    expect((await third.call('GET', `${SUMMARY}?status=accepted`)).body.count).toBe(1);
    const bad = await third.call('GET', `${SUMMARY}?status=open`);
    expect([bad.status, bad.body.issues[0].path]).toEqual([400, 'query.status']);
  });
});
