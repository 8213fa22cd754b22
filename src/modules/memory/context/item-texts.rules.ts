/** What a reader sees of a fact. */
export const factText = ({ entity, key, value }: { entity: string; key: string; value: string }): string =>
  `${entity} ${key}: ${value}`;

interface CaseTexts {
  task: string;
  action: string;
  outcome: string;
  context: string;
  lesson: string | null;
  success: boolean;
}

/** A case, whole: what was to be done, what was done, how it went. */
export const caseText = ({ task, action, outcome, context, lesson, success }: CaseTexts): string =>
  [
    `Task: ${task}`,
    ...(context === '' ? [] : [`Context: ${context}`]),
    `Action: ${action}`,
    `Outcome (${success ? 'success' : 'failure'}): ${outcome}`,
    ...(lesson === null ? [] : [`Lesson: ${lesson}`]),
  ].join('\n');

interface WorkTexts {
  title: string;
  state: string;
  priority: number;
  assignee_passport: string | null;
}

/** The card of a work item; what else is known of it, its id leads to. */
export const workText = ({ title, state, priority, assignee_passport: assignee }: WorkTexts): string =>
  `${title} (${state}, priority ${priority}${assignee === null ? '' : `, ${assignee}`})`;

/** How many of the words wanted are there, from 0 to 1. */
export function shareOf(wanted: ReadonlySet<string>, words: readonly string[]): number {
  if (wanted.size === 0) return 0;
  const there = new Set(words);
  return [...wanted].filter((word) => there.has(word)).length / wanted.size;
}
