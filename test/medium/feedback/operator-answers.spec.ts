import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATOR } from '../../../src/common/evidence-log/audit-trail.js';
import { RequestsService } from '../../../src/modules/continuity/feedback/requests.service.js';
import { RevenueService } from '../../../src/modules/continuity/feedback/revenue.service.js';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';

const REQUESTS = '/v1/feedback/requests';
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

const requestIn = async ({ call }: TestTenant): Promise<string> =>
  (await call('POST', REQUESTS, { title: 'Export as PDF', body: 'For print.' })).body.requestId;
const recordsOf = (subject: string) =>
  api.database.query<{ tenant_id: string; kind: string; data: object }>(
    `select tenant_id, kind, data from outbox_event where subject = $1 and kind like '%answered'
     union all select tenant_id, kind || ' receipt', jsonb_build_object('actor', actor) from receipt where subject = $1`,
    [subject],
  );

describe('what the operator answers to a request', () => {
  it('is on the request, in its history, an event and a receipt of its tenant', async () => {
    const requestId = await requestIn(acme);
    await api.app.get(RequestsService).answer('acme', OPERATOR, { requestId, text: 'We look at it.' });
    const { body } = await acme.call('GET', REQUESTS);
    const shown = body.requests.find((request: { requestId: string }) => request.requestId === requestId);
    expect(shown).toMatchObject({ status: 'open', operatorAnswer: { text: 'We look at it.', at: TIME } });
    expect(shown.history.at(-1)).toEqual({
      action: 'answer',
      from: 'open',
      to: 'open',
      principal: 'operator',
      reason: 'We look at it.',
      note: null,
      at: TIME,
    });
    expect(shown.updatedAt).toBe(shown.submittedAt);
    const data = { action: null, from: 'open', to: 'open', text: 'We look at it.', actor: 'operator' };
    expect(await recordsOf(requestId)).toEqual([
      { tenant_id: 'acme', kind: 'feedback.request_answered', data },
      { tenant_id: 'acme', kind: 'feedback.request_answered receipt', data: { actor: 'operator' } },
    ]);
    expect(JSON.stringify((await other.call('GET', REQUESTS)).body)).not.toContain('We look at it.');
  });

  it('may move it by the rules that its tenant has, and nothing is kept where it may not', async () => {
    const requestId = await requestIn(acme);
    const requests = api.app.get(RequestsService);
    const early = requests.answer('acme', OPERATOR, { requestId, text: 'Done.', action: 'ship' });
    await expect(early).rejects.toMatchObject({ facts: { current: 'open' } });
    expect(await recordsOf(requestId)).toEqual([]);
    await requests.answer('acme', OPERATOR, { requestId, text: 'Planned.', action: 'accept' });
    const done = await requests.answer('acme', OPERATOR, { requestId, text: 'Done.', action: 'ship' });
    expect(done).toMatchObject({ status: 'shipped', operatorAnswer: { text: 'Done.' } });
    expect(done.history.map(({ action }) => action)).toEqual(['submit', 'accept', 'ship']);
    const shipped = await api.database.query(
      `select data->>'reason' as reason from outbox_event where subject = $1 and kind = 'feedback.request_shipped'`,
      [requestId],
    );
    expect(shipped).toEqual([{ reason: 'Done.' }]);
  });

  it('is not for a request of another tenant', async () => {
    const requestId = await requestIn(acme);
    const wrong = api.app.get(RequestsService).answer('other', OPERATOR, { requestId, text: 'x' });
    await expect(wrong).rejects.toMatchObject({ facts: { requestId } });
  });

  it("is no caller's to write: the tenant's own review shows as its own", async () => {
    const requestId = await requestIn(acme);
    const { body } = await acme.call('POST', `/v1/feedback/review/requests/${requestId}`, {
      decision: 'accept',
      reason: 'ours',
    });
    expect(body.operatorAnswer).toBeNull();
  });
});

describe('what the operator answers to a declaration', () => {
  it('is on it, and may decide it', async () => {
    const declared = await acme.call('POST', '/v1/feedback/revenue/declarations', {
      subject: 'answered',
      amountMinor: 1250,
      currency: 'GBP',
      period: 'monthly',
    });
    const { declarationId } = declared.body;
    expect(declared.body.operatorAnswer).toBeNull();
    const revenue = api.app.get(RevenueService);
    await revenue.answer('acme', OPERATOR, { declarationId, text: 'Thank you.' });
    await revenue.answer('acme', OPERATOR, { declarationId, text: 'How many seats?', decision: 'needs_info' });
    const { body } = await acme.call('GET', '/v1/feedback/revenue/summary?subject=answered');
    expect(body.awaiting_review[0]).toMatchObject({
      status: 'needs_info',
      operatorAnswer: { text: 'How many seats?', at: TIME },
      history: [
        { to: 'pending' },
        { from: 'pending', to: 'pending', principal: 'operator', reason: 'Thank you.' },
        { from: 'pending', to: 'needs_info', principal: 'operator', reason: 'How many seats?' },
      ],
    });
    expect((await recordsOf(declarationId)).map(({ kind }) => kind)).toEqual([
      'feedback.declaration_answered',
      'feedback.declaration_answered',
      'feedback.declaration_answered receipt',
      'feedback.declaration_answered receipt',
    ]);
    const wrong = revenue.answer('acme', OPERATOR, { declarationId, text: 'x', decision: 'needs_info' });
    await expect(wrong).rejects.toMatchObject({ facts: { current: 'needs_info' } });
  });
});
