#!/usr/bin/env node
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { readBuild } from '../src/common/build-info.js';
import { withTemporaryServer } from '../src/common/client/temporary-server.js';
import type { CborMap } from '../src/evidence/cbor.js';
import { BenchRun, jsonOption, type JsonOption } from './bench-run.js';
import { makeConversations } from './conversation-maker.js';
import { readConversations, type Conversation, type ConversationSet } from './conversations.js';
import { withDatabase } from './database.js';
import { quantile } from './measures.js';
import { rateWay, type Way } from './memory-measures.js';
import { datasetDigest, outputsRoot, signReport } from './memory-statement.js';
import { FACTS_TOP_K, PASSAGES_TOP_K, RememberedConversation, type WayAnswers, type WayName } from './memory-ways.js';
import { count, milliseconds, share, type Series } from './report.js';
import { wholeNumber } from '../src/cli/whole-number.js';
import { figure, say, table } from './table.js';

interface Options extends JsonOption {
  out: string;
  key?: string;
  conversations?: number;
  questions?: number;
}

interface Output extends Record<string, unknown> {
  question: string;
  category: string;
  evidence: string[];
  ways: WayAnswers;
}

const DIGITS = 4;
/** What a context is measured against: the plain way whose tokens it got a quarter of. */
const PAIRS: readonly [WayName, WayName][] = [
  ['facts', 'context_of_facts'],
  ['passages', 'context_of_passages'],
];

/** `npm run bench:memory -- DIR`: what memory finds of conversations, and in how many tokens; no model judges. */
const program = new Command('bench:memory')
  .enablePositionalOptions()
  .description('measure memory on conversations with evidence, in the layout of LoCoMo or LongMemEval')
  .argument('<folder>', 'holds .json files in one of the layouts')
  .option('--out <folder>', 'where the signed report goes', 'memory-report')
  .option('--key <file>', 'Ed25519 key (PKCS#8 PEM) that signs the report; a new one when absent')
  .option('--conversations <n>', 'only the first so many conversations', wholeNumber(1, 100_000))
  .option('--questions <n>', 'only the first so many questions of each', wholeNumber(1, 100_000))
  .addOption(jsonOption())
  .action(async (folder: string, options: Options) => {
    const settings = { ...options, folder: resolve(folder) };
    const run = new BenchRun('memory', settings);
    const set = readConversations(resolve(folder));
    const chosen = set.conversations
      .slice(0, options.conversations)
      .map((one) => ({ ...one, questions: one.questions.slice(0, options.questions) }));
    const { outputs, contextsMs } = await measure(chosen);
    const report = reportOf(set, chosen, outputs, options);
    await write(resolve(options.out), report, outputs, options.key);
    const series = [...seriesOf(outputs), milliseconds('a context', contextsMs)];
    run.print({ signed: report }, series, () => describe(report, options.out));
  });

program
  .command('make')
  .description('make conversations in the layout of LoCoMo; the same for the same seed')
  .argument('<folder>', 'the folder to make')
  .option('--seed <n>', 'of the random choices', wholeNumber(0, 2 ** 31), 1)
  .option('--conversations <n>', 'how many', wholeNumber(1, 1000), 5)
  .option('--sessions <n>', 'sessions of each', wholeNumber(1, 1000), 20)
  .action((folder: string, plan: { seed: number; conversations: number; sessions: number }) => {
    mkdirSync(resolve(folder), { recursive: true });
    const file = join(resolve(folder), 'conversations.json');
    writeFileSync(file, `${JSON.stringify(makeConversations(plan), null, 1)}\n`);
    process.stdout.write(`Wrote ${file}\n`);
  });

/** Each conversation in a tenant of its own, on a server of its own. */
const measure = (conversations: readonly Conversation[]): Promise<{ outputs: Output[]; contextsMs: number[] }> =>
  withTemporaryServer({ environment: { SVCD_CONTEXT_SURFACE: '1', SVCD_RATE_LIMIT_RPS: '0' } }, (server) =>
    withDatabase(server, async (database) => {
      const tenants = await database.addTenants(conversations.length);
      const outputs: Output[] = [];
      const contextsMs: number[] = [];
      for (const [at, conversation] of conversations.entries()) {
        const remembered = await RememberedConversation.store(conversation, server.daemonUrl, tenants[at]!);
        for (const { id, text, category, evidence } of conversation.questions)
          outputs.push({ question: id, category, evidence: [...evidence], ways: await remembered.ask(text) });
        contextsMs.push(...remembered.took);
        const p95 = figure(
          quantile(
            remembered.took.sort((a, b) => a - b),
            0.95,
          ),
          0,
        );
        say(
          `${conversation.id}: ${conversation.turns.length} turns, ${conversation.questions.length} questions; contexts p95 ${p95} ms`,
        );
      }
      return { outputs, contextsMs };
    }),
  );

function reportOf(set: ConversationSet, chosen: readonly Conversation[], outputs: Output[], options: Options) {
  const ways = rate(outputs);
  const categories = [...Map.groupBy(outputs, ({ category }) => category)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([category, of]) => ({ category, questions: of.length, ways: rate(of) }));
  const { version, commit } = readBuild();
  return {
    schema: 'svc.memory-bench/2',
    layout: set.layout,
    dataset_digest: datasetDigest(set.files),
    code: { version, commit: commit ?? 'unknown' },
    settings: {
      ...{ facts_top_k: FACTS_TOP_K, passages_top_k: PASSAGES_TOP_K, lane: 'verified', context_share: '1/4' },
      ...{ max_conversations: options.conversations ?? 0, max_questions: options.questions ?? 0 },
    },
    conversations: chosen.length,
    turns: chosen.reduce((sum, { turns }) => sum + turns.length, 0),
    questions: outputs.length,
    unmeasured: set.unmeasured,
    ways,
    categories,
    holds: PAIRS.map(([plain, context]) => ({ plain, context, holds: isHeld(ways[plain], ways[context]) })),
    outputs_root: outputsRoot(outputs),
  };
}
type Report = ReturnType<typeof reportOf>;

/** Of each question, by way. */
function seriesOf(outputs: readonly Output[]): Series[] {
  return Object.keys(rate(outputs)).flatMap((name) => {
    const each = outputs.map((one) => rateWay([one.ways[name as WayName]], [new Set(one.evidence)]));
    const way = name.replaceAll('_', ' ');
    return [
      share(
        `${way}: recall`,
        each.map(({ recall }) => recall),
      ),
      share(
        `${way}: recall@10`,
        each.map(({ recall10 }) => recall10),
      ),
      share(
        `${way}: nDCG@10`,
        each.map(({ ndcg10 }) => ndcg10),
      ),
      count(
        `${way}: tokens`,
        each.map(({ tokens }) => tokens),
      ),
    ];
  });
}

function rate(outputs: readonly Output[]): Record<WayName, Way> {
  const evidence = outputs.map((one) => new Set(one.evidence));
  const names = Object.keys(outputs[0]?.ways ?? {}) as WayName[];
  const rated = names.map((name) => {
    const answers = outputs.map((one) => one.ways[name]);
    return [name, rateWay(answers, evidence)] as const;
  });
  return Object.fromEntries(rated) as Record<WayName, Way>;
}

/** Whether the context found as much as plain search did, at a quarter of its tokens. */
const isHeld = (plain: Way | undefined, context: Way | undefined): boolean =>
  plain !== undefined && context !== undefined && context.recall >= plain.recall && context.tokens * 4 <= plain.tokens;

async function write(folder: string, report: Report, outputs: readonly Output[], key?: string): Promise<void> {
  const pem = key === undefined ? undefined : readFileSync(key, 'utf8');
  const { file, jwk } = await signReport(signedFormOf(report) as CborMap, pem);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'report.json'), file);
  writeFileSync(join(folder, 'report.jwk'), `${JSON.stringify(jwk)}\n`);
  writeFileSync(join(folder, 'outputs.jsonl'), outputs.map((one) => `${JSON.stringify(one)}\n`).join(''));
}

/** What is signed has no fractions: they are text, of four digits. */
function signedFormOf(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? value : value.toFixed(DIGITS);
  if (Array.isArray(value)) return value.map(signedFormOf);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, signedFormOf(member)]));
}

function describe(
  { layout, conversations, turns, questions, unmeasured, ways, categories, holds }: Report,
  out: string,
): string {
  const rows = Object.entries(ways).map(([name, way]) => [
    name.replaceAll('_', ' '),
    ...[figure(way.recall, DIGITS), figure(way.recall10, DIGITS), figure(way.ndcg10, DIGITS), figure(way.tokens, 1)],
    figure(way.sent, 1),
  ]);
  const byCategory = categories.map(({ category, questions: count, ways: of }) => [
    category,
    String(count),
    ...Object.values(of).map(({ recall }) => figure(recall, DIGITS)),
  ]);
  const lines = holds.map(({ plain, context, holds: isHolding }) => {
    const [a, b] = [ways[plain], ways[context]];
    return `${isHolding ? 'holds' : 'does NOT hold'}: recall ${figure(b.recall, DIGITS)} in ${figure(b.tokens, 1)} tokens against ${figure(a.recall, DIGITS)} in ${figure(a.tokens, 1)} of plain search of ${plain}`;
  });
  return [
    `${layout}: ${conversations} conversations, ${turns} turns, ${questions} questions; ${unmeasured} without evidence left out`,
    '',
    table(['way', 'recall', 'recall@10', 'nDCG@10', 'tokens', 'tokens sent'], rows),
    'Recall by category:',
    '',
    table(['category', 'questions', ...Object.keys(ways).map((name) => name.replaceAll('_', ' '))], byCategory),
    ...lines,
    `Signed: svc verify ${out}/report.json --key ${out}/report.jwk`,
    '',
  ].join('\n');
}

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`bench:memory: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
