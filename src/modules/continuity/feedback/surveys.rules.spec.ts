import { describe, expect, it } from 'vitest';
import { TIERS } from '../../../common/contract/caller.js';
import { currentSurvey, forEvent, issuesOf, merge, stateOf, unanswered } from './surveys.rules.js';
import type { Survey, SurveyAnswer } from './surveys.types.js';

const survey = (members: Partial<Survey> = {}): Survey => ({
  surveyId: 's',
  version: 1,
  title: 't',
  about: 'a',
  tiers: ['free'],
  file: 's.yaml',
  opensAt: new Date('2026-01-01T00:00:00Z'),
  closesAt: null,
  questions: [],
  ...members,
});
const at = (time: string, ...surveys: Survey[]) => currentSurvey(surveys, 'free', new Date(time));

describe('the current survey', () => {
  it('is there from the moment it opens, and none from the moment it closes', () => {
    const one = survey({ closesAt: new Date('2026-02-01T00:00:00Z') });
    expect(at('2025-12-31T23:59:59.999Z', one)).toBeUndefined();
    expect(at('2026-01-01T00:00:00.000Z', one)).toBe(one);
    expect(at('2026-01-31T23:59:59.999Z', one)).toBe(one);
    expect(at('2026-02-01T00:00:00.000Z', one)).toBeUndefined();
  });

  it('is for the tiers that it names', () => {
    const surveys = [survey({ tiers: ['starter', 'pro'] })];
    const asked = TIERS.filter((tier) => currentSurvey(surveys, tier, new Date('2026-06-01T00:00:00Z')));
    expect(asked).toEqual(['starter', 'pro']);
  });

  it('is of several the one that opened last, in its newest version, however they are listed', () => {
    const old = survey({ version: 9 });
    const first = survey({ surveyId: 'new', opensAt: new Date('2026-06-01T00:00:00Z') });
    const second = { ...first, version: 2 };
    const surveys = Object.freeze([second, old, first]);
    for (const list of [surveys, surveys.toReversed()]) {
      expect(at('2026-05-31T23:59:59Z', ...list)).toBe(old);
      expect(at('2026-06-01T00:00:00Z', ...list)).toBe(second);
    }
  });

  it('is another one when the last has closed', () => {
    const closed = survey({
      surveyId: 'b',
      opensAt: new Date('2026-03-01T00:00:00Z'),
      closesAt: new Date('2026-04-01T00:00:00Z'),
    });
    const old = survey();
    expect(at('2026-05-01T00:00:00Z', old, closed)).toBe(old);
  });
});

describe('a window', () => {
  it.each<[string | null, string | null, string]>([
    [null, null, 'closed'],
    ['2026-01-01T00:00:00Z', null, 'open'],
    ['2026-01-02T00:00:00Z', null, 'scheduled'],
    ['2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z', 'closed'],
  ])('from %s to %s is %s', (opensAt, closesAt, state) => {
    const date = (text: string | null) => (text === null ? null : new Date(text));
    const window = { opensAt: date(opensAt), closesAt: date(closesAt) };
    expect(stateOf(window, new Date('2026-01-01T00:00:00Z'))).toBe(state);
  });
});

describe('answers in an event', () => {
  it('are whole up to a bound, beyond which texts are shortened between characters and say so', () => {
    const answers = (length: number): SurveyAnswer[] => [
      { questionId: 'scale', scale: 1 },
      { questionId: 'short', text: 'x'.repeat(500) },
      { questionId: 'long', text: '\u{1f41f}'.repeat(length) },
    ];
    expect(forEvent(answers(2_000))).toEqual(answers(2_000));
    const [scale, short, long] = forEvent(answers(20_000));
    expect([scale, short]).toEqual(answers(0).slice(0, 2));
    expect(long).toEqual({ questionId: 'long', text: '\u{1f41f}'.repeat(500), shortened: true });
  });
});

const options = ['x', 'y', 'z'].map((id) => ({ id, label: id.toUpperCase() }));
const asked = survey({
  questions: [
    { questionId: 'scale', kind: 'scale', text: '?', required: true, min: 1, max: 3, minLabel: '', maxLabel: '' },
    { questionId: 'text', kind: 'text', text: '?', required: false, maxLength: 3 },
    { questionId: 'one', kind: 'single_choice', text: '?', required: true, options },
    { questionId: 'some', kind: 'multiple_choice', text: '?', required: false, options, maxChoices: 2 },
  ],
});

describe('answers', () => {
  it('fit from the least that each question takes to the most', () => {
    const answers = (scale: number, text: string, choice: string, choices: string[]): SurveyAnswer[] => [
      { questionId: 'scale', scale },
      { questionId: 'text', text },
      { questionId: 'one', choice },
      { questionId: 'some', choices },
    ];
    expect(issuesOf(asked, [])).toEqual([]);
    expect(issuesOf(asked, answers(1, 'a', 'x', ['y']))).toEqual([]);
    expect(issuesOf(asked, answers(3, 'abc', 'z', ['z', 'x']))).toEqual([]);
  });

  it.each<[SurveyAnswer, string, string]>([
    [{ questionId: 'age' }, 'questionId', 'is no question of this survey; there are scale, text, one, some'],
    [{ questionId: 'scale' }, 'scale', 'is needed to answer this question'],
    [{ questionId: 'scale', text: '2' }, 'text', 'does not answer a scale question; send scale'],
    [{ questionId: 'scale', scale: 2, choice: 'x' }, 'choice', 'does not answer a scale question; send scale'],
    [{ questionId: 'scale', scale: 0 }, 'scale', 'must be 1 to 3'],
    [{ questionId: 'scale', scale: 4 }, 'scale', 'must be 1 to 3'],
    [{ questionId: 'text', text: '' }, 'text', 'must have 1 to 3 characters'],
    [{ questionId: 'text', text: 'abcd' }, 'text', 'must have 1 to 3 characters'],
    [{ questionId: 'one', choice: 'w' }, 'choice', 'must be of x, y, z'],
    [{ questionId: 'one', choices: ['x'] }, 'choices', 'does not answer a single_choice question; send choice'],
    [{ questionId: 'some', choices: [] }, 'choices', 'must be 1 to 2 choices, each once'],
    [{ questionId: 'some', choices: ['x', 'y', 'z'] }, 'choices', 'must be 1 to 2 choices, each once'],
    [{ questionId: 'some', choices: ['x', 'x'] }, 'choices', 'must be 1 to 2 choices, each once'],
    [{ questionId: 'some', choices: ['x', 'w'] }, 'choices', 'must be of x, y, z'],
  ])('%j is refused by its %s', (answer, member, message) => {
    expect(issuesOf(asked, [answer])).toEqual([{ path: `body.answers[0].${member}`, message }]);
  });

  it('are refused in their order, and to one question twice', () => {
    const sent = [{ questionId: 'scale' }, { questionId: 'text', text: 'ok' }, { questionId: 'scale', scale: 1 }];
    expect(issuesOf(asked, sent)).toEqual([
      { path: 'body.answers[0].scale', message: 'is needed to answer this question' },
      { path: 'body.answers[2].questionId', message: 'is answered twice; leave one out' },
    ]);
  });

  it('take the places of earlier ones, which stay as they were', () => {
    const first = merge({}, [{ questionId: 'scale', scale: 1 }]);
    const second = merge(first, [
      { questionId: 'scale', scale: 2 },
      { questionId: 'text', text: 'ok' },
    ]);
    expect(second).toEqual({ scale: { questionId: 'scale', scale: 2 }, text: { questionId: 'text', text: 'ok' } });
    expect(first).toEqual({ scale: { questionId: 'scale', scale: 1 } });
  });

  it('leave open what has none, in the order of the questions', () => {
    const answers = merge({}, [{ questionId: 'one', choice: 'x' }]);
    expect([unanswered(asked, answers, 'required'), unanswered(asked, answers, 'all')]).toEqual([
      ['scale'],
      ['scale', 'text', 'some'],
    ]);
    const named = survey({
      questions: [{ questionId: 'constructor', kind: 'text', text: '?', required: true, maxLength: 9 }],
    });
    expect(unanswered(named, {}, 'required')).toEqual(['constructor']);
  });
});
