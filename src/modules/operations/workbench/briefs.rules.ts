import type { AssembledContext } from '../../memory/context/assembled-context.types.js';
import { counted } from './judgement.rules.js';
import type { Evidence, Finding } from './workbench.types.js';

type Item = AssembledContext['items'][number];
type Omitted = AssembledContext['omitted'][number];

/** What holds comes before what is known, and that before what others did. */
const SECTIONS: readonly [Item['kind'], string][] = [
  ['layers', 'Instructions that hold here'],
  ['engrams', 'How it is done here'],
  ['facts', 'What is known'],
  ['passages', 'From documents'],
  ['cases', 'How like tasks went'],
  ['work', 'Open work'],
];

/** Left-out items that a finding names. */
const MAX_NAMED = 10;

/** A context as Markdown: each item whole and under its kind, with its id. */
export function briefOf({ task, items }: Pick<AssembledContext, 'task' | 'items'>): { text: string; order: Item[] } {
  const parts = SECTIONS.map(([kind, title]) => ({ title, items: items.filter((item) => item.kind === kind) }));
  const shown = parts.filter((part) => part.items.length > 0);
  const sections = shown.map((part) => `## ${part.title}\n\n${part.items.map(itemText).join('\n\n')}\n`);
  return { text: [`# ${titleOf(task)}\n`, ...sections].join('\n'), order: shown.flatMap((part) => part.items) };
}

const titleOf = (task: string): string => task.trim().split('\n', 1)[0]!.slice(0, 200);
const itemText = ({ kind, id, text }: Item): string => `[${kind}:${id}]\n${text.trim()}`;

/** What whoever reads a context should know about what is not in it. */
export function findingsOfContext({
  task,
  items,
  omitted,
  token_budget,
}: Pick<AssembledContext, 'task' | 'items' | 'omitted' | 'token_budget'>): Finding[] {
  const of = (reason: Omitted['reason']): Omitted[] => omitted.filter((one) => one.reason === reason);
  const budget = of('budget');
  const found: (Finding | false)[] = [
    items.length === 0 && {
      ...{ id: 'context.empty', severity: 'warn', subject: titleOf(task), evidence: [] },
      fix: 'Say more of the task, or store what is known of it: PUT /v1/facts, POST /v1/cases',
    },
    budget.length > 0 && {
      ...{ id: 'context.over_budget', severity: 'warn', subject: `${token_budget} tokens` },
      evidence: budget.slice(0, MAX_NAMED).map(evidenceOf),
      fix: `Raise token_budget for ${counted(budget.length, 'further item')}, or narrow include`,
    },
    of('unknown').length > 0 && {
      ...{ id: 'context.unknown', severity: 'fail', subject: 'project_id' },
      evidence: of('unknown').map(evidenceOf),
      fix: 'Name a project of GET /v1/projects, or leave project_id out',
    },
    of('not_whole').length > 0 && {
      ...{ id: 'context.not_whole', severity: 'info', subject: 'facts' },
      evidence: of('not_whole').slice(0, MAX_NAMED).map(evidenceOf),
      fix: 'Read them by GET /v1/facts/{factId}: their values are too long for a list',
    },
  ];
  return found.filter((one) => one !== false);
}

const evidenceOf = ({ kind, id, detail, tokens }: Omitted): Evidence => ({
  kind,
  ref: id ?? '',
  detail: tokens === undefined ? detail : `${detail} (${tokens} tokens)`,
});
