#!/usr/bin/env node
import { basename, resolve } from 'node:path';
import { Command } from 'commander';
import { type FitModel, judge, LEARNED } from '../src/search/fit.js';
import { BenchRun, jsonOption, type JsonOption } from './bench-run.js';
import { type CaseKind, casesOf, type FitCase, SHORT, SHORT_SIZES, SIZES } from './fit-cases.js';
import { learnFit } from './fit-learning.js';
import { readCollection } from './judgements.js';
import { faultShare, share, type Series } from './report.js';
import { wholeNumber } from '../src/cli/whole-number.js';
import { figure, say, table } from './table.js';

interface Row {
  learnedOn: string;
  questionsOf: string;
  words: number;
  documents: number;
  /** Shares of the cases, by their kind. */
  none: Record<CaseKind, number>;
  strong: Record<CaseKind, number>;
  /** The fits of the cases, by their kind. */
  fits: { samples: Record<CaseKind, string[]> };
}

const sizeOf = (size: number): string => (size === Infinity ? 'all' : figure(size));

/** What is right of a question whose answer is there is a fault of others. */
const seriesOf = ({ learnedOn, questionsOf, words, documents, fits }: Row): Series[] =>
  Object.entries(fits.samples).flatMap(([kind, found]) =>
    (['none', 'strong'] as const).map((fit) => {
      const measure = (fit === 'strong') === (kind === 'answered') ? share : faultShare;
      const of = [`${sizeOf(words)} words`, `${sizeOf(documents)} documents`];
      const name = [fit, kind, `learned on ${learnedOn}`, questionsOf, ...of];
      return measure(
        name.join(', '),
        found.map((one) => (one === fit ? 1 : 0)),
      );
    }),
  );

/** `npm run bench:fit -- DIR DIR`: how often the fit that a retrieval answers is right. */
const program = new Command('bench:fit')
  .description('measure how often the fit of a retrieval is right, on two or more collections with judgements')
  .argument('<folders...>', 'each holds corpus.jsonl, queries.jsonl and qrels.tsv, as for bench:quality')
  .option(
    '--seed <n>',
    'draws the questions that are kept from learning, and the parts of collections',
    wholeNumber(0, 2 ** 31),
    1,
  )
  .addOption(jsonOption())
  .action((folders: string[], options: { seed: number } & JsonOption) => {
    const { seed } = options;
    const settings = { ...options, folders: folders.map((folder) => resolve(folder)) };
    const run = new BenchRun('fit', settings, { postgres: null });
    if (folders.length < 2) throw new Error('name two folders or more: questions of one are put to another');
    const collections = new Map(folders.map((folder) => [basename(resolve(folder)), readCollection(resolve(folder))]));
    if (collections.size < folders.length) throw new Error('the folders must have different names');
    const cases = casesOf(collections, seed);
    say(`${cases.length} cases`);
    const names = [...collections.keys()];
    const learning = cases.filter(({ isHeldOut }) => !isHeldOut);
    const models = new Map<string, FitModel>([
      ['as released', LEARNED],
      ['all of them', learnFit(learning)],
    ]);
    for (const name of names) models.set(name, learnFit(learning.filter(({ collection }) => collection === name)));
    const heldOut = cases.filter(({ isHeldOut }) => isHeldOut);
    const rows = [...models].flatMap(([learnedOn, model]) =>
      names.flatMap((name) => rowsOf({ learnedOn, model }, name, heldOut)),
    );
    run.print({ models: Object.fromEntries(models), rows }, rows.flatMap(seriesOf), () => describe(models, rows));
  });

function rowsOf(
  { learnedOn, model }: { learnedOn: string; model: FitModel },
  questionsOf: string,
  cases: readonly FitCase[],
): Row[] {
  const forms = [
    ...SIZES.map((documents) => ({ words: Infinity, documents })),
    ...SHORT.flatMap((words) => SHORT_SIZES.map((documents) => ({ words, documents }))),
  ];
  return forms.map(({ words, documents }) => {
    const fitsOf = (kind: CaseKind): string[] =>
      cases
        .filter(
          (one) =>
            one.collection === questionsOf && one.kind === kind && one.words === words && one.documents === documents,
        )
        .map(({ evidence }) => judge(evidence, model));
    const samples = { answered: fitsOf('answered'), removed: fitsOf('removed'), other: fitsOf('other') };
    const shareOf = (fit: string, kind: CaseKind): number =>
      samples[kind].filter((one) => one === fit).length / samples[kind].length;
    const by = (fit: string): Record<CaseKind, number> => ({
      answered: shareOf(fit, 'answered'),
      removed: shareOf(fit, 'removed'),
      other: shareOf(fit, 'other'),
    });
    return { learnedOn, questionsOf, words, documents, none: by('none'), strong: by('strong'), fits: { samples } };
  });
}

/** Of as many questions with an answer as without, half of the latter of either kind. */
function precisionsOf({ none, strong }: Row): { none: number; strong: number } {
  const unanswered = (shares: Record<CaseKind, number>): number => (shares.removed + shares.other) / 2;
  return {
    none: unanswered(none) / (unanswered(none) + none.answered),
    strong: strong.answered / (strong.answered + unanswered(strong)),
  };
}

function describe(models: ReadonlyMap<string, FitModel>, rows: readonly Row[]): string {
  const percent = (share: number): string => figure(share * 100);
  const head = ['learned on', 'questions of', 'words', 'documents'];
  const shares = ['none: wrong', 'of removed', 'of other', 'precision'];
  const cells = rows.map((row) => {
    const precision = precisionsOf(row);
    return [
      ...[row.learnedOn, row.questionsOf, sizeOf(row.words), sizeOf(row.documents)],
      ...[row.none.answered, row.none.removed, row.none.other, precision.none].map(percent),
      ...[row.strong.answered, row.strong.removed, row.strong.other, precision.strong].map(percent),
    ];
  });
  return [
    table([...head, ...shares, 'strong: right', 'of removed', 'of other', 'precision'], cells),
    'In percent, of the questions that were kept from learning. none: wrong is of questions whose answer is there; of removed and',
    'of other: of those whose answer was taken out, and of those put to another collection. Precision: of as many questions with',
    'an answer as without, half of the latter of either kind.',
    '',
    ...[...models].map(([name, { bias, weights, none, strong }]) => {
      const values = [bias, ...weights].map((value) => figure(value, 2)).join(', ');
      return `${name}: bias and weights ${values}; none below ${figure(none, 2)}, strong from ${figure(strong, 2)}`;
    }),
    '',
  ].join('\n');
}

try {
  program.parse();
} catch (error) {
  process.stderr.write(`bench:fit: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
