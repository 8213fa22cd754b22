import { describe, expect, it } from 'vitest';
import { analyzerFor } from './analysis.js';
import { bindQuery, queryTerms, type SegmentView } from './collection.js';
import { evidenceOf, fitOf, judge, LEARNED, strongestFit, withNear } from './fit.js';
import type { Language } from './languages.js';
import { searchTop } from './maxscore.js';
import { buildSegment, openAllPostings, Segment } from './segment.js';

const TODAY = 20_000;

function open(texts: readonly string[], language: Language = 'english'): SegmentView {
  const chunks = texts.map((text, i) => ({ chunkId: `c${String(i).padStart(4, '0')}`, text, day: TODAY }));
  const data = buildSegment(chunks, language);
  const segment = Segment.open(data.header, data.digest);
  return { segment, tombstones: undefined, postings: openAllPostings(segment, data) };
}

function search(view: SegmentView, text: string) {
  const query = bindQuery([view], queryTerms(analyzerFor(view.segment.language).analyze(text)), TODAY);
  return { hits: searchTop([view], query, 9).hits, query };
}

function fit(view: SegmentView, text: string) {
  const { hits, query } = search(view, text);
  return fitOf(hits, () => query);
}

const HANDBOOK = [
  'Everyone has 28 days of leave a year. Leave that is left in March lapses.',
  'Trains are preferred to planes. A journey of less than four hours goes by train.',
  'The office opens at eight and is locked at ten in the evening.',
  'Expenses are paid back within two weeks, once a receipt is uploaded.',
  'The pension fund takes five percent of the salary; the company adds as much.',
  'Call chunkIdOf with the tenant, and set SVC_VECTOR_WEIGHT to weigh the meaning.',
  'Visitors sign in at the desk and wear a badge.',
  'Laptops are encrypted. A lost one is reported to the help desk within an hour.',
  'Sick notes are needed from the third day on.',
  'Lunch is served from noon until two in the canteen on the ground floor.',
];

describe('the fit of what is found in ten documents', () => {
  const handbook = open(HANDBOOK);

  it.each([
    'How many days of leave do I have a year?',
    'when does the office open in the evening',
    'expenses receipt',
    'lost laptops',
    'badge',
    'SVC_VECTOR_WEIGHT',
    'chunkIdOf',
    'What is it that one would have to do, and when, in order to be paid back for their expenses?',
  ])('is not none for what is there: %s', (question) => {
    expect(fit(handbook, question)).not.toBe('none');
  });

  it.each(['How many days of leave do I have a year?', 'When are expenses paid back, and is a receipt uploaded?'])(
    'is strong where a passage has the words of a question: %s',
    (question) => expect(fit(handbook, question)).toBe('strong'),
  );

  it.each([
    'zebra',
    'getUserByEmailAddress',
    'the of and',
    'quantum entanglement',
    'Which medication helps against high blood pressure of elderly patients?',
    'Wie hoch ist die Miete einer Wohnung in Berlin?',
    'How would one go about it if one wanted to photograph wild giraffes on a safari in Kenya this year?',
  ])('is none for what is not: %s', (question) => {
    expect(fit(handbook, question)).toBe('none');
  });

  it('is at least weak where a passage has every word, however little they weigh in it', () => {
    const long = open(['alpha '.concat('filler words '.repeat(400)), ...HANDBOOK]);
    expect(fit(long, 'alpha')).not.toBe('none');
    expect(fit(long, 'alpha zulu')).toBe('none');
  });
});

it('the fit knows German as it knows English', () => {
  const german = open(
    [
      'Jeder hat 28 Tage Urlaub im Jahr. Resturlaub verfällt im März.',
      'Bahnreisen gehen vor Flugreisen.',
      'Das Büro öffnet um acht Uhr und schließt um zehn Uhr abends.',
      'Auslagen werden binnen zwei Wochen erstattet, sobald ein Beleg vorliegt.',
    ],
    'german',
  );
  expect(fit(german, 'Wie viele Tage Urlaub habe ich im Jahr?')).toBe('strong');
  expect(fit(german, 'Urlaub')).not.toBe('none');
  expect(fit(german, 'Welche Medikamente helfen gegen Kopfschmerzen bei Kindern?')).toBe('none');
  expect(fit(german, 'Which medication helps against a headache?')).toBe('none');
});

it('the fit knows the words of a collection of one document, and is none in an empty one', () => {
  const single = open(['Everyone has 28 days of leave a year.']);
  expect(fit(single, 'How many days of leave?')).not.toBe('none');
  expect(fit(single, 'leave')).not.toBe('none');
  expect(fit(single, 'Which medication helps against high blood pressure this year?')).toBe('none');
  expect(fit(open([]), 'leave')).toBe('none');
});

it('the fit judges by the best of the first three hits', () => {
  const { hits, query } = search(open(HANDBOOK), 'How many days of leave do I have a year?');
  const evidence = evidenceOf([...hits].reverse(), () => query);
  expect(judge(evidence, LEARNED)).toBe(fitOf(hits, () => query));
  expect(judge({ features: [], hasAllWords: () => false }, LEARNED)).toBe('none');
});

it('the fit of several parts is the strongest, and near meaning is not refused', () => {
  expect(strongestFit(['none', 'strong', 'weak'])).toBe('strong');
  expect(strongestFit([])).toBe('none');
  expect(withNear('none', true)).toBe('weak');
  expect(withNear('none', false)).toBe('none');
  expect(withNear('strong', true)).toBe('strong');
});
