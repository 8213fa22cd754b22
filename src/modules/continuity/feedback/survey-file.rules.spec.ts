import { describe, expect, it } from 'vitest';
import { TIERS } from '../../../common/contract/caller.js';
import { readSurvey } from './survey-file.rules.js';

const QUESTION = '{ id: q, kind: text, text: Why?, required: true, maxLength: 100 }';
const file = (members = '', questions = QUESTION): string =>
  `id: s\nversion: 1\ntitle: T\n${members}\nquestions:\n  - ${questions}\n`;
const faultsOf = (text: string): string[] => {
  const found = readSurvey(text);
  return 'faults' in found ? found.faults.map(({ member, message }) => `${member}: ${message}`) : [];
};

describe("a survey's file", () => {
  it('may leave out what it is about, whom it asks, and when', () => {
    expect(readSurvey(file())).toEqual({
      survey: {
        surveyId: 's',
        version: 1,
        title: 'T',
        about: '',
        tiers: TIERS,
        opensAt: null,
        closesAt: null,
        questions: [{ questionId: 'q', kind: 'text', text: 'Why?', required: true, maxLength: 100 }],
      },
    });
  });

  it('names times with their offset', () => {
    const found = readSurvey(file('opensAt: 2026-01-01T02:00:00+02:00\nclosesAt: 2026-02-01T00:00:00Z'));
    expect(found).toMatchObject({
      survey: { opensAt: new Date('2026-01-01T00:00:00Z'), closesAt: new Date('2026-02-01T00:00:00Z') },
    });
  });

  it.each<[string, string]>([
    [file('colour: red'), 'colour: is no member here'],
    [file('', QUESTION.replace('{', '{ size: 3,')), 'questions[0].size: is no member here'],
    [file('tiers: [gold]'), 'tiers[0]: expected of free, starter, pro, team'],
    [file('tiers: []'), 'tiers: expected one tier at least; leave it out for all'],
    [file('opensAt: 2026-01-01'), 'opensAt: expected a time with its offset from UTC, such as 2026-11-01T00:00:00Z'],
    [file('opensAt: 2026-02-01T00:00:00Z\nclosesAt: 2026-02-01T00:00:00Z'), 'closesAt: must be later than opensAt'],
    [file().replace('id: s', 'id: S s'), 'id: expected 1 to 40 of a-z, 0-9 and -, the first a letter or digit'],
    [file().replace('version: 1', 'version: one'), 'version: expected a whole number from 1 to 1000000'],
    [file().replace('title: T', 'title: ""'), 'title: expected a text of 1 to 200 characters'],
    [file('', `${QUESTION}\n  - ${QUESTION}`), 'questions[1].id: q is there twice'],
    [
      file('', '{ id: q, kind: guess }'),
      'questions[0].kind: expected a question with kind: single_choice, multiple_choice, scale or text',
    ],
    [file('', QUESTION.replace('true', 'yes')), 'questions[0].required: expected true or false'],
    [
      file('', QUESTION.replace('maxLength: 100', 'maxLength: 20000')),
      'questions[0].maxLength: expected a whole number from 1 to 10000',
    ],
    [
      file('', '{ id: q, kind: scale, text: x, required: true, min: 3, max: 3, minLabel: a, maxLabel: b }'),
      'questions[0].max: must be more than min',
    ],
    [
      file(
        '',
        '{ id: q, kind: multiple_choice, text: x, required: true, maxChoices: 3, options: [{ id: a, label: A }, { id: b, label: B }] }',
      ),
      'questions[0].maxChoices: is more than there are options',
    ],
    [
      file(
        '',
        '{ id: q, kind: single_choice, text: x, required: true, options: [{ id: a, label: A }, { id: a, label: B }] }',
      ),
      'questions[0].options[1].id: a is there twice',
    ],
    ['', ': expected a survey: id, version, title, questions'],
    ['- a list', ': expected a survey: id, version, title, questions'],
  ])('is refused by its member: %j', (text, fault) => {
    expect(faultsOf(text)).toEqual([fault]);
  });

  it.each(['id: [', 'id: s\nid: t', 'a: *nowhere', '\tid: s'])('that is no YAML is refused as a whole: %j', (text) => {
    expect(faultsOf(text)[0]).toMatch(/^: .+/);
  });

  it('cannot grow by aliases', () => {
    const lines = Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i}, `.repeat(9)}]`);
    expect(faultsOf(['a0: &a0 [x]', ...lines].join('\n'))[0]).toMatch(/alias/i);
  });
});
