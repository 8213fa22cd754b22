import { parseDocument } from 'yaml';
import { z } from 'zod';
import { storedText } from '../../../common/fields/stored-text.js';
import { TIERS } from '../../../common/contract/caller.js';
import type { Survey } from './surveys.types.js';

/** What is wrong with a file, and with which of its members; the file as a whole where none is named. */
export interface FileFault {
  member: string;
  message: string;
}

/** Bounds that hold for answers too: what a question asks for must fit into a request. */
const MAX_QUESTIONS = 50;
const MAX_OPTIONS = 50;
const MAX_TEXT = 10_000;
const MAX_SCALE = 1000;

const TIME = 'expected a time with its offset from UTC, such as 2026-11-01T00:00:00Z';
const ID = 'expected 1 to 40 of a-z, 0-9 and -, the first a letter or digit';

const id = () => z.string(ID).regex(/^[a-z0-9][a-z0-9-]{0,39}$/, ID);
const whole = (min: number, max: number) => z.int(`expected a whole number from ${min} to ${max}`).min(min).max(max);
const flag = () => z.boolean('expected true or false');
const time = () => z.iso.datetime({ offset: true, error: TIME }).transform((text) => new Date(text));

const asked = { id: id(), text: storedText(1000), required: flag() };
const options = z
  .array(z.strictObject({ id: id(), label: storedText(200) }), 'expected a list of options, each with id and label')
  .min(2, 'expected 2 options at least')
  .max(MAX_OPTIONS, `expected ${MAX_OPTIONS} options at most`)
  .superRefine(refuseDoubles);

const question = z
  .discriminatedUnion(
    'kind',
    [
      z.strictObject({ ...asked, kind: z.literal('single_choice'), options }),
      z.strictObject({ ...asked, kind: z.literal('multiple_choice'), options, maxChoices: whole(1, MAX_OPTIONS) }),
      z.strictObject({
        ...asked,
        kind: z.literal('scale'),
        min: whole(-MAX_SCALE, MAX_SCALE),
        max: whole(-MAX_SCALE, MAX_SCALE),
        minLabel: storedText(200),
        maxLabel: storedText(200),
      }),
      z.strictObject({ ...asked, kind: z.literal('text'), maxLength: whole(1, MAX_TEXT) }),
    ],
    'expected a question with kind: single_choice, multiple_choice, scale or text',
  )
  .superRefine((one, context) => {
    if (one.kind === 'scale' && one.min >= one.max)
      context.addIssue({ code: 'custom', path: ['max'], message: 'must be more than min' });
    if (one.kind === 'multiple_choice' && one.maxChoices > one.options.length)
      context.addIssue({ code: 'custom', path: ['maxChoices'], message: 'is more than there are options' });
  });

const file = z
  .strictObject(
    {
      id: id(),
      version: whole(1, 1_000_000),
      title: storedText(200),
      about: storedText(2000).default(''),
      tiers: z
        .array(z.enum(TIERS, `expected of ${TIERS.join(', ')}`), `expected a list of ${TIERS.join(', ')}`)
        .min(1, 'expected one tier at least; leave it out for all')
        .default([...TIERS]),
      opensAt: time().optional(),
      closesAt: time().optional(),
      questions: z
        .array(question, 'expected a list of questions')
        .min(1, 'expected one question at least')
        .max(MAX_QUESTIONS, `expected ${MAX_QUESTIONS} questions at most`)
        .superRefine(refuseDoubles),
    },
    'expected a survey: id, version, title, questions',
  )
  .superRefine(({ opensAt, closesAt }, context) => {
    if (opensAt && closesAt && closesAt <= opensAt)
      context.addIssue({ code: 'custom', path: ['closesAt'], message: 'must be later than opensAt' });
  });

function refuseDoubles(all: { id: string }[], context: z.RefinementCtx): void {
  for (const [index, { id: name }] of all.entries())
    if (all.findIndex((other) => other.id === name) < index)
      context.addIssue({ code: 'custom', path: [index, 'id'], message: `${name} is there twice` });
}

/** Reads the text of a survey's file, in YAML 1.2. */
export function readSurvey(text: string): { survey: Omit<Survey, 'file'> } | { faults: FileFault[] } {
  const yaml = parse(text);
  if ('faults' in yaml) return yaml;
  const parsed = file.safeParse(yaml.content);
  if (!parsed.success) return { faults: parsed.error.issues.flatMap(faultsOf) };
  const { id: surveyId, opensAt = null, closesAt = null, questions, ...rest } = parsed.data;
  const renamed = questions.map(({ id: questionId, ...one }) => ({ questionId, ...one }));
  return { survey: { surveyId, ...rest, opensAt, closesAt, questions: renamed } };
}

/** One for each member that is unknown. */
function faultsOf(issue: z.core.$ZodIssue): FileFault[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ member: nameOf([...issue.path, key]), message: 'is no member here' }));
  return [{ member: nameOf(issue.path), message: issue.message }];
}

function parse(text: string): { content: unknown } | { faults: FileFault[] } {
  try {
    const document = parseDocument(text);
    const errors = document.errors.map(({ message }) => ({ member: '', message: message.split('\n')[0]! }));
    return errors.length > 0 ? { faults: errors } : { content: document.toJS() as unknown };
  } catch (error) {
    // Aliases that lead nowhere, or multiply.
    return { faults: [{ member: '', message: (error as Error).message }] };
  }
}

/** `questions[2].options` */
const nameOf = (path: PropertyKey[]): string =>
  path.reduce<string>(
    (name, part) => (typeof part === 'number' ? `${name}[${part}]` : `${name}${name && '.'}${String(part)}`),
    '',
  );
