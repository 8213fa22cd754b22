import { analyzerFor } from '../../../search/analysis.js';
import { DEFAULT_LANGUAGE } from '../../../search/languages.js';
import { CAPABILITY_CLASSES, type Applicable, type CapabilityClass, type Engram } from './engrams.types.js';
import { fits } from './model-classes.rules.js';

/** What engrams are asked for. */
export interface Asked {
  /** What is to be done, in the words of who does it; undefined: anything. */
  task?: string | undefined;
  modelClass?: CapabilityClass | undefined;
  /** Of the best score by words, what an engram gets for its meaning, by name. */
  near?: ReadonlyMap<string, number> | undefined;
}

/** Of those that share no word with a task as many as are near to it in meaning apply. */
const MAX_BY_MEANING = 3;

/** Why an engram is left out whatever the task; undefined: it is not. */
export function refusalOf(engram: Engram, modelClass: CapabilityClass | undefined): string | undefined {
  const { enabled, classMin, classMax } = engram;
  if (!enabled) return 'it is switched off';
  if (modelClass === undefined) return undefined;
  const rank = CAPABILITY_CLASSES.indexOf(modelClass);
  if (classMin && rank < CAPABILITY_CLASSES.indexOf(classMin)) return `it is for models from ${classMin} on`;
  if (classMax && rank > CAPABILITY_CLASSES.indexOf(classMax)) return `it is for models up to ${classMax}`;
  return undefined;
}

interface Ranked extends Applicable {
  score: number;
}

/** The engrams that apply, the most fitting first, by name among equals. */
export function applicable(engrams: readonly Engram[], { task, modelClass, near }: Asked): Applicable[] {
  const wanted = task === undefined ? undefined : { text: task, terms: termsOf(task) };
  const fitting = engrams.filter((engram) => refusalOf(engram, modelClass) === undefined);
  const byWords = fitting.flatMap((engram) => rank(engram, wanted) ?? []);
  return byMeaning(fitting, byWords, near ?? new Map())
    .sort((a, b) => b.score - a.score || (a.engram.name < b.engram.name ? -1 : 1))
    .map(({ engram, why }) => ({ engram, why }));
}

/** A pattern decides alone; without one the words that task, name and description share do. */
function rank(engram: Engram, wanted: { text: string; terms: Set<string> } | undefined): Ranked | undefined {
  if (!wanted) return { engram, score: 0, why: 'no task was named' };
  if (engram.queryPattern !== null) {
    const pattern = engram.queryPattern.split('|').find((one) => isIn(wanted.text, one.trim()));
    return pattern === undefined ? undefined : { engram, score: 1000, why: `the task fits "${pattern.trim()}"` };
  }
  const shared = [...termsOf(`${engram.name} ${engram.description}`)].filter((term) => wanted.terms.has(term)).sort();
  if (shared.length === 0) return undefined;
  return { engram, score: shared.length, why: `shares words with the task: ${shared.slice(0, 5).join(', ')}` };
}

/** With what meaning adds: to those of shared words, and a few that share none. A pattern decides alone. */
function byMeaning(
  fitting: readonly Engram[],
  byWords: readonly Ranked[],
  near: ReadonlyMap<string, number>,
): Ranked[] {
  const found = new Set(byWords.map(({ engram }) => engram));
  const scale = Math.max(1, ...byWords.map(({ engram, score }) => (engram.queryPattern === null ? score : 1)));
  const part = ({ queryPattern, name }: Engram): number => (queryPattern === null ? (near.get(name) ?? 0) * scale : 0);
  const others = fitting
    .filter((engram) => !found.has(engram) && part(engram) > 0)
    .map((engram) => ({ engram, score: part(engram), why: 'it is near to the task in meaning' }))
    .sort((a, b) => b.score - a.score || (a.engram.name < b.engram.name ? -1 : 1));
  return [
    ...byWords.map((ranked) => ({ ...ranked, score: ranked.score + part(ranked.engram) })),
    ...others.slice(0, MAX_BY_MEANING),
  ];
}

const isIn = (text: string, pattern: string): boolean => pattern !== '' && fits(text, `*${pattern}*`);

/** Short words say little of what a text is about. */
const termsOf = (text: string): Set<string> =>
  new Set(
    analyzerFor(DEFAULT_LANGUAGE)
      .analyze(text)
      .filter((term) => term.length > 2),
  );
