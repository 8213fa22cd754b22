import { isDeepStrictEqual } from 'node:util';
import type { Tier } from '../../../common/contract/caller.js';
import type { Issue } from '../../../common/problem/common-problems.js';
import type { FileFault } from './survey-file.rules.js';
import type {
  Answers,
  KnownSurvey,
  Option,
  Question,
  Survey,
  SurveyAnswer,
  SurveyDefinition,
  SurveyWindow,
} from './surveys.types.js';

export type SurveyState = 'scheduled' | 'open' | 'closed';

export function stateOf({ opensAt, closesAt }: SurveyWindow, now: Date): SurveyState {
  if (opensAt === null || (closesAt !== null && closesAt <= now)) return 'closed';
  return opensAt <= now ? 'open' : 'scheduled';
}

/** What keeps a change of a survey from those who are asked it. */
export const faultOfEdit = ({ file, version }: KnownSurvey): FileFault & { file: string } => ({
  file,
  member: 'version',
  message: `was changed after version ${version} was answered, which is asked as it was; give it another version`,
});

/** The survey that is open to a tier: of several, the one that opened last, in its newest version. */
export function currentSurvey<S extends Survey>(surveys: readonly S[], tier: Tier, now: Date): S | undefined {
  return surveys
    .filter((survey) => survey.tiers.includes(tier) && stateOf(survey, now) === 'open')
    .sort((a, b) => b.opensAt!.getTime() - a.opensAt!.getTime() || b.version - a.version)[0];
}

/** Whether a response to one is a response to the other. */
export const isSameDefinition = (a: SurveyDefinition, b: SurveyDefinition): boolean =>
  isDeepStrictEqual(definitionOf(a), definitionOf(b));

export const definitionOf = ({ title, about, questions }: SurveyDefinition): SurveyDefinition => ({
  title,
  about,
  questions,
});

const MEMBERS = {
  single_choice: 'choice',
  multiple_choice: 'choices',
  scale: 'scale',
  text: 'text',
} as const satisfies Record<Question['kind'], keyof SurveyAnswer>;

/** What is wrong with answers that were sent, each with the path of the member. */
export function issuesOf({ questions }: SurveyDefinition, sent: readonly SurveyAnswer[]): Issue[] {
  const seen = new Set<string>();
  return sent.flatMap((answer, index) => {
    const path = `body.answers[${index}]`;
    const question = questions.find(({ questionId }) => questionId === answer.questionId);
    if (!question) {
      const known = questions.map(({ questionId }) => questionId).join(', ');
      return [{ path: `${path}.questionId`, message: `is no question of this survey; there are ${known}` }];
    }
    if (seen.has(answer.questionId))
      return [{ path: `${path}.questionId`, message: 'is answered twice; leave one out' }];
    seen.add(answer.questionId);
    return issuesOfAnswer(question, answer, path);
  });
}

function issuesOfAnswer(question: Question, answer: SurveyAnswer, path: string): Issue[] {
  const member = MEMBERS[question.kind];
  const foreign = Object.values(MEMBERS).find((name) => name !== member && answer[name] !== undefined);
  if (foreign)
    return [{ path: `${path}.${foreign}`, message: `does not answer a ${question.kind} question; send ${member}` }];
  if (answer[member] === undefined)
    return [{ path: `${path}.${member}`, message: 'is needed to answer this question' }];
  const message = faultOf(question, answer);
  return message === undefined ? [] : [{ path: `${path}.${member}`, message }];
}

function faultOf(question: Question, answer: SurveyAnswer): string | undefined {
  switch (question.kind) {
    case 'single_choice':
      return faultOfChoices([answer.choice ?? ''], question.options, 1);
    case 'multiple_choice':
      return faultOfChoices(answer.choices ?? [], question.options, question.maxChoices);
    case 'scale':
      return isWithin(answer.scale, question.min, question.max)
        ? undefined
        : `must be ${question.min} to ${question.max}`;
    case 'text':
      return isWithin(answer.text?.length, 1, question.maxLength)
        ? undefined
        : `must have 1 to ${question.maxLength} characters`;
  }
}

function faultOfChoices(chosen: readonly string[], options: readonly Option[], most: number): string | undefined {
  if (!isWithin(chosen.length, 1, most) || new Set(chosen).size < chosen.length)
    return `must be 1 to ${most} choices, each once`;
  const ids = options.map(({ id }) => id);
  return chosen.every((id) => ids.includes(id)) ? undefined : `must be of ${ids.join(', ')}`;
}

const isWithin = (value: number | undefined, least: number, most: number): boolean =>
  value !== undefined && value >= least && value <= most;

/** Answers with newer ones in their places. */
export const merge = (before: Answers, sent: readonly SurveyAnswer[]): Answers => ({
  ...before,
  ...Object.fromEntries(sent.map((answer) => [answer.questionId, answer])),
});

/** The questions without an answer; those that a whole response needs, or all. */
export const unanswered = ({ questions }: SurveyDefinition, answers: Answers, which: 'required' | 'all'): string[] =>
  questions
    .filter(({ questionId, required }) => !Object.hasOwn(answers, questionId) && (which === 'all' || required))
    .map(({ questionId }) => questionId);

/** The answers there are, in the order of the questions. */
export const inOrder = ({ questions }: SurveyDefinition, answers: Answers): SurveyAnswer[] =>
  questions.flatMap(({ questionId }) => (Object.hasOwn(answers, questionId) ? [answers[questionId]!] : []));

/** Bytes of JSON up to which an event has answers whole. */
const EVENT_BYTES = 32 * 1024;
const SHORTENED_CHARACTERS = 500;

/** An answer as an event has it. */
export type EventAnswer = SurveyAnswer & { shortened?: true };

/** Answers for an event, whose readers take no more than so much: beyond it texts are shortened and say so. */
export function forEvent(answers: readonly SurveyAnswer[]): EventAnswer[] {
  if (Buffer.byteLength(JSON.stringify(answers)) <= EVENT_BYTES) return [...answers];
  return answers.map((answer) => {
    const characters = [...(answer.text ?? '')];
    if (characters.length <= SHORTENED_CHARACTERS) return answer;
    return { ...answer, text: characters.slice(0, SHORTENED_CHARACTERS).join(''), shortened: true };
  });
}
