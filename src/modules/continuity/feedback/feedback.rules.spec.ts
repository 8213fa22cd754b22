import { describe, expect, it } from 'vitest';
import { actionsFrom, containing, targetOf } from './requests.rules.js';
import { REQUEST_STATUSES, type RequestStatus } from './requests.types.js';
import { verdictsFrom } from './revenue.rules.js';
import { DECLARATION_STATES } from './revenue.types.js';
import { SURVEYS } from './surveys.definitions.js';
import { currentSurvey, issuesOf, merge, unanswered } from './surveys.rules.js';
import type { Survey, SurveyAnswer } from './surveys.types.js';

describe('the way of a request', () => {
  it('is open, acknowledged, then shipped or archived; archived may be reopened, shipped stays', () => {
    const moves = (status: RequestStatus) => actionsFrom(status).map((action) => `${action} to ${targetOf(action)}`);
    expect(Object.fromEntries(REQUEST_STATUSES.map((status) => [status, moves(status)]))).toEqual({
      open: ['acknowledge to acknowledged', 'archive to archived', 'accept to acknowledged', 'decline to archived'],
      acknowledged: ['ship to shipped', 'archive to archived', 'decline to archived'],
      shipped: [],
      archived: ['reopen to open'],
    });
  });

  it('is searched for the text itself', () => {
    expect(containing('100%_\\')).toBe('%100\\%\\_\\\\%');
  });
});

it('a declaration that was decided stays decided', () => {
  expect(DECLARATION_STATES.map((state) => verdictsFrom(state).length)).toEqual([3, 2, 0, 0]);
});

const survey = (members: Partial<Survey>): Survey => ({
  surveyId: 's',
  version: 1,
  title: 't',
  about: 'a',
  tiers: ['free'],
  opensAt: '2026-01-01T00:00:00Z',
  closesAt: null,
  questions: [],
  ...members,
});

describe('the current survey', () => {
  const at = (time: string, surveys: Survey[], tier: 'free' | 'pro' = 'free') =>
    currentSurvey(surveys, tier, new Date(time));

  it('is open to the tier, and of several the one that opened last in its newest version', () => {
    const [old, fresh] = [survey({ surveyId: 'old' }), survey({ surveyId: 'new', opensAt: '2026-06-01T00:00:00Z' })];
    const newer = { ...fresh, version: 2 };
    expect(at('2026-05-31T23:59:59Z', [old, fresh, newer])).toBe(old);
    expect(at('2026-06-01T00:00:00Z', [old, fresh, newer])).toBe(newer);
    expect(at('2026-07-01T00:00:00Z', [old], 'pro')).toBeUndefined();
  });

  it('is none before it opens and from the moment it closes', () => {
    const closing = survey({ closesAt: '2026-02-01T00:00:00Z' });
    expect(at('2025-12-31T23:59:59Z', [closing])).toBeUndefined();
    expect(at('2026-01-31T23:59:59Z', [closing])).toBe(closing);
    expect(at('2026-02-01T00:00:00Z', [closing])).toBeUndefined();
  });

  it('is defined for every tier, with questions that are distinct and can be answered', () => {
    for (const tier of ['free', 'starter', 'pro', 'team'] as const)
      expect([tier, currentSurvey(SURVEYS, tier, new Date('2026-12-01T00:00:00Z'))]).toEqual([tier, expect.anything()]);
    for (const { questions } of SURVEYS) {
      expect(new Set(questions.map(({ questionId }) => questionId)).size).toBe(questions.length);
      expect(questions.some(({ required }) => required)).toBe(true);
    }
    expect(new Set(SURVEYS.map(({ surveyId, version }) => `${surveyId} ${version}`)).size).toBe(SURVEYS.length);
  });
});

describe('answers', () => {
  const asked = survey({
    questions: [
      { questionId: 'a', kind: 'scale', text: '?', required: true, min: 1, max: 3, minLabel: '', maxLabel: '' },
      { questionId: 'b', kind: 'text', text: '?', required: false, maxLength: 3 },
      { questionId: 'c', kind: 'single_choice', text: '?', required: true, options: [{ id: 'x', label: 'X' }] },
    ],
  });
  const paths = (...answers: SurveyAnswer[]) => issuesOf(asked, answers).map(({ path }) => path);

  it('fit their questions or are named', () => {
    expect(
      paths({ questionId: 'a', scale: 1 }, { questionId: 'b', text: 'abc' }, { questionId: 'c', choice: 'x' }),
    ).toEqual([]);
    expect(
      paths(
        { questionId: 'a', scale: 4 },
        { questionId: 'b', text: 'abcd' },
        { questionId: 'c', choice: 'y' },
        { questionId: 'd' },
      ),
    ).toEqual([
      'body.answers[0].scale',
      'body.answers[1].text',
      'body.answers[2].choice',
      'body.answers[3].questionId',
    ]);
    expect(paths({ questionId: 'a' }, { questionId: 'a', scale: 1 }, { questionId: 'c', text: 'x' })).toEqual([
      'body.answers[0].scale',
      'body.answers[1].questionId',
      'body.answers[2].text',
    ]);
  });

  it('replace earlier ones, and leave open what has none', () => {
    const first = merge({}, [{ questionId: 'a', scale: 1 }]);
    const second = merge(first, [{ questionId: 'a', scale: 2 }]);
    expect(second).toEqual({ a: { questionId: 'a', scale: 2 } });
    expect([unanswered(asked, second, 'required'), unanswered(asked, second, 'all')]).toEqual([['c'], ['b', 'c']]);
  });
});
