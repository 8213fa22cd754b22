import type { Tier } from '../../../common/contract/caller.js';
import type { Issue } from '../../../common/problem/common-problems.js';
import type { Answers, Option, Question, Survey, SurveyAnswer } from './surveys.types.js';

/** The survey that is open to a tier: of several, the one that opened last, in its newest version. */
export function currentSurvey(surveys: readonly Survey[], tier: Tier, now: Date): Survey | undefined {
  const time = now.getTime();
  return surveys
    .filter(({ tiers, opensAt, closesAt }) => {
      const isClosed = closesAt !== null && Date.parse(closesAt) <= time;
      return tiers.includes(tier) && Date.parse(opensAt) <= time && !isClosed;
    })
    .sort((a, b) => Date.parse(b.opensAt) - Date.parse(a.opensAt) || b.version - a.version)[0];
}

const MEMBERS = {
  single_choice: 'choice',
  multiple_choice: 'choices',
  scale: 'scale',
  text: 'text',
} as const satisfies Record<Question['kind'], keyof SurveyAnswer>;

/** What is wrong with answers that were sent, each with the path of the member. */
export function issuesOf({ questions }: Survey, sent: readonly SurveyAnswer[]): Issue[] {
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
export const unanswered = ({ questions }: Survey, answers: Answers, which: 'required' | 'all'): string[] =>
  questions
    .filter(({ questionId, required }) => !Object.hasOwn(answers, questionId) && (which === 'all' || required))
    .map(({ questionId }) => questionId);
