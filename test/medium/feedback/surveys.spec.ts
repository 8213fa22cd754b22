import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SurveyFolder } from '../../../src/modules/continuity/feedback/survey-folder.js';
import { TIERS } from '../../../src/common/contract/caller.js';
import { startApi, type Answer, type TestApi, type TestTenant } from '../../kit/app.js';

const CURRENT = '/v1/feedback/surveys/current';
const TIME = expect.stringMatching(/^\d{4}-.*Z$/);
const { surveys, faults } = await new SurveyFolder(undefined).read();
const paid = surveys.find(({ surveyId }) => surveyId === 'in-use')!;
const free = surveys.find(({ surveyId }) => surveyId === 'getting-started')!;
const SATISFACTION = { questionId: 'satisfaction', scale: 8 };
const REST = [
  { questionId: 'recommend', scale: 0 },
  { questionId: 'relied-on', choices: ['proofs', 'citations'] },
  { questionId: 'next', choice: 'speed' },
];

let api: TestApi;
let tenants = 0;
const aTenant = (tier: 'free' | 'pro' = 'pro') => api.addTenant(`tenant-${++tenants}`, tier);
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

const respond = (tenant: TestTenant, body: object): Promise<Answer> =>
  tenant.call('POST', `${CURRENT}/responses`, body);
const shown = ({ surveyId, version, title, about, opensAt, closesAt, questions }: typeof paid) => ({
  surveyId,
  version,
  title,
  about,
  opensAt: opensAt!.toISOString(),
  closesAt,
  questions,
});

describe('the current survey', () => {
  it('comes with the product, for every tier', () => {
    expect(faults).toEqual([]);
    expect(surveys.flatMap(({ tiers }) => tiers).sort()).toEqual([...TIERS].sort());
  });

  it('is another one for the free tier', async () => {
    const [there, here] = [await aTenant('free'), await aTenant()];
    expect((await there.call('GET', CURRENT)).body).toEqual({ ...shown(free), response: null });
    expect((await here.call('GET', CURRENT)).body).toEqual({ ...shown(paid), response: null });
  });
});

describe('a response', () => {
  it('grows in parts, shows what is missing, and is completed by a whole call', async () => {
    const tenant = await aTenant();
    const { status, body } = await respond(tenant, {
      answers: [SATISFACTION],
      partial: true,
      surveyId: 'in-use',
      version: 1,
    });
    const record = {
      responseId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      surveyId: 'in-use',
      version: 1,
      status: 'partial',
      answers: [SATISFACTION],
      missing: ['recommend', 'relied-on', 'next'],
      startedAt: TIME,
      updatedAt: TIME,
      completedAt: null,
    };
    expect([status, body]).toEqual([200, record]);
    expect((await tenant.call('GET', CURRENT)).body.response).toEqual(body);
    const changed = await respond(tenant, {
      answers: [{ questionId: 'satisfaction', scale: 9 }, REST[0]],
      partial: true,
    });
    expect(changed.body.answers).toEqual([{ questionId: 'satisfaction', scale: 9 }, REST[0]]);
    const early = await respond(tenant, { answers: [REST[1]] });
    expect([early.status, early.body.issues]).toEqual([
      400,
      [{ path: 'body.answers', message: 'must have an answer to next, or partial must be true' }],
    ]);
    expect((await tenant.call('GET', CURRENT)).body.response).toEqual(changed.body);
    const whole = await respond(tenant, { answers: REST.slice(1) });
    const finished = {
      ...record,
      status: 'complete',
      answers: [{ questionId: 'satisfaction', scale: 9 }, ...REST],
      missing: [],
      completedAt: TIME,
    };
    expect(whole.body).toEqual(finished);
    const late = await respond(tenant, { answers: [SATISFACTION], partial: true });
    expect([late.status, late.body.type, late.body.completedAt]).toEqual([
      409,
      'SurveyCompleted',
      whole.body.completedAt,
    ]);
    expect((await tenant.call('GET', CURRENT)).body.response).toEqual(whole.body);
    const events = await api.database.query<{ kind: string; data: object }>(
      `select kind, data from outbox_event where tenant_id = $1 and kind like 'feedback.%' order by position`,
      [tenant.tenantId],
    );
    const data = { surveyId: 'in-use', version: 1, actor: `key:${tenant.keyId}` };
    expect(events).toEqual([
      { kind: 'feedback.survey_answered', data: { ...data, answers: [SATISFACTION] } },
      { kind: 'feedback.survey_answered', data: { ...data, answers: changed.body.answers } },
      { kind: 'feedback.survey_completed', data: { ...data, answers: finished.answers } },
    ]);
  });

  it('is whole at once, or completed by the part that leaves no question', async () => {
    const [one, two] = [await aTenant(), await aTenant()];
    expect((await respond(one, { answers: [SATISFACTION, ...REST] })).body.status).toBe('complete');
    await respond(two, { answers: [SATISFACTION, ...REST], partial: true });
    const last = await respond(two, { answers: [{ questionId: 'missed', text: 'Nothing.' }], partial: true });
    expect(last.body.status).toBe('complete');
  });

  it('keeps every answer of parts that come at once, and completes once', async () => {
    const tenant = await aTenant();
    const parts = await Promise.all(
      [SATISFACTION, ...REST].map((answer) => respond(tenant, { answers: [answer], partial: true })),
    );
    expect(parts.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await tenant.call('GET', CURRENT)).body.response.answers).toEqual([SATISFACTION, ...REST]);
    const wholes = await Promise.all(Array.from({ length: 5 }, () => respond(tenant, { answers: [SATISFACTION] })));
    expect(wholes.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
  });

  it("is the principal's own, in its own tenant", async () => {
    const [one, two] = [await aTenant(), await aTenant()];
    await respond(one, { answers: [SATISFACTION], partial: true });
    expect((await two.call('GET', CURRENT)).body.response).toBeNull();
    const { status } = await respond(two, { answers: [SATISFACTION, ...REST] });
    expect(status).toBe(200);
    expect((await one.call('GET', CURRENT)).body.response.status).toBe('partial');
  });

  it.each<[object, string]>([
    [{ questionId: 'unknown', text: 'x' }, 'questionId'],
    [{ questionId: '__proto__', text: 'x' }, 'questionId'],
    [{ questionId: 'satisfaction' }, 'scale'],
    [{ questionId: 'satisfaction', scale: 11 }, 'scale'],
    [{ questionId: 'satisfaction', scale: 1.5 }, 'scale'],
    [{ questionId: 'satisfaction', scale: '8' }, 'scale'],
    [{ questionId: 'satisfaction', scale: 8, text: 'well' }, 'text'],
    [{ questionId: 'next', choice: 'taste' }, 'choice'],
    [{ questionId: 'next', choices: ['speed'] }, 'choices'],
    [{ questionId: 'relied-on', choices: [] }, 'choices'],
    [{ questionId: 'relied-on', choices: ['proofs', 'proofs'] }, 'choices'],
    [{ questionId: 'relied-on', choices: ['proofs', 'luck'] }, 'choices'],
    [{ questionId: 'missed', text: 'x'.repeat(2001) }, 'text'],
    [{ questionId: 'missed', text: '' }, 'text'],
    [{ questionId: 'missed', text: 'x', weight: 2 }, 'weight'],
  ])('takes no answer like %j, and keeps nothing of the call', async (answer, member) => {
    const tenant = await aTenant();
    const { status, body } = await respond(tenant, { answers: [REST[0], answer], partial: true });
    expect([status, [...new Set(body.issues.map(({ path }: any) => path))]]).toEqual([
      400,
      [`body.answers[1].${member}`],
    ]);
    expect((await tenant.call('GET', CURRENT)).body.response).toBeNull();
  });

  it('refuses two answers to one question, none at all, and another survey', async () => {
    const tenant = await aTenant();
    expect((await respond(tenant, { answers: [SATISFACTION, SATISFACTION] })).body.issues[0].path).toBe(
      'body.answers[1].questionId',
    );
    expect((await respond(tenant, { answers: [] })).body.issues[0].path).toBe('body.answers');
    for (const meant of [{ surveyId: 'getting-started' }, { version: 2 }]) {
      const { status, body } = await respond(tenant, { answers: [SATISFACTION], ...meant });
      expect([status, body.type, body.surveyId, body.version]).toEqual([409, 'SurveyChanged', 'in-use', 1]);
    }
  });
});
