#!/usr/bin/env node
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { withTemporaryServer } from '../src/common/client/temporary-server.js';
import { loadSettings } from '../src/common/config/settings.js';
import { BenchRun, jsonOption, type JsonOption } from './bench-run.js';
import { withDatabase, type BenchDatabase } from './database.js';
import { runJourney, type JourneyReport, type JourneyWorld } from './journey.js';
import { readJourney } from './journey-plan.js';
import { count, share, type Series } from './report.js';
import { figure, say, table } from './table.js';

interface Options extends JsonOption {
  out: string;
  mcp?: string;
}

/** `npm run bench:agent -- DIR`: what an agent that knows only the tools finds in a folder, and what that costs. */
const program = new Command('bench:agent')
  .description('play the job of an agent over a folder of documents: questions, facts, a change, an approval')
  .argument('<folder>', 'holds documents and questions.json (docs/agents.md has its form)')
  .option('--out <file>', 'where the report goes, as JSON', 'agent-report.json')
  .option('--mcp <url>', 'an MCP endpoint to use, with SVC_BENCH_URL and its key; a server is started when absent')
  .addOption(jsonOption())
  .action(async (folder: string, options: Options) => {
    const on = { postgres: options.mcp === undefined ? ('embedded' as const) : null };
    const settings = { ...options, folder: resolve(folder) };
    const run = new BenchRun('agent', settings, on);
    const plan = readJourney(resolve(folder));
    const report = await onServer(options.mcp, (world) => runJourney(plan, world));
    writeFileSync(resolve(options.out), `${JSON.stringify(report, null, 1)}\n`);
    run.print(report, seriesOf(report), describe);
  });

async function onServer<T>(mcpUrl: string | undefined, work: (world: JourneyWorld) => Promise<T>): Promise<T> {
  const { url, tenantId, apiKey } = loadSettings().bench;
  if (mcpUrl !== undefined) {
    if (!url || !tenantId || !apiKey)
      throw new Error('With --mcp, SVC_BENCH_URL, SVC_BENCH_TENANT_ID and SVC_BENCH_API_KEY are needed too');
    say('Nobody approves here: the part with an approval is left out');
    return work({ url: url.replace(/\/+$/, ''), mcpUrl, tenantId, apiKey });
  }
  say('Starting a temporary server');
  return withTemporaryServer({ environment: { SVC_TOOLS_RATE_LIMIT: '0', SVCD_RATE_LIMIT_RPS: '0' } }, (server) =>
    withDatabase(server, async (database) => {
      const { tenantId } = server;
      const otherKey = await database.addKey(tenantId);
      const hasVectors = loadSettings().retrieval.embeddingsUrl !== undefined;
      const factsReady = hasVectors ? () => untilEmbedded(database, tenantId) : undefined;
      return work({ ...server, mcpUrl: `${server.toolsUrl}/mcp`, otherKey, factsReady });
    }),
  );
}

const EMBEDDED = `select coalesce((select s.position from memory_vector_state s join vector_space v using (space_id)
    where s.tenant_id = $1 and s.kind = 'fact' and v.state <> 'retired' order by v.state limit 1), 0)
  >= (select max(seq) from fact where tenant_id = $1) as done`;
const LOOK_MS = 200;

/** Facts get their vectors by a job. */
async function untilEmbedded(database: BenchDatabase, tenantId: string): Promise<void> {
  for (;;) {
    const [row] = await database.query<{ done: boolean }>(EMBEDDED, [tenantId]);
    if (row!.done) return;
    await sleep(LOOK_MS);
  }
}

/** Of each question and each fact one over its rank, 0 where it was not found; of each step its tokens. */
function seriesOf({ questions, facts, steps }: JourneyReport): Series[] {
  const reciprocal = ({ rank }: { rank: number }): number => (rank > 0 ? 1 / rank : 0);
  return [
    share('questions: reciprocal rank', questions.map(reciprocal)),
    count(
      'questions: calls',
      questions.map(({ calls }) => calls),
    ),
    share('facts in other words: reciprocal rank', facts.map(reciprocal)),
    ...steps.map(({ step, tokensIn, tokensOut }) => count(`${step}: tokens`, [tokensIn + tokensOut])),
  ];
}

function describe(report: JourneyReport): string {
  const { name, documents, tools, calls, tokens, context, questions, withoutAnswer, facts, steps } = report;
  const count = <Of>(all: readonly Of[], which: (one: Of) => boolean): string => String(all.filter(which).length);
  const found = [
    [
      ...['questions', String(questions.length), count(questions, ({ rank }) => rank === 1)],
      ...[count(questions, ({ rank }) => rank > 0 && rank <= 3), count(questions, ({ wideRank }) => wideRank > 0)],
    ],
    [
      ...['facts in other words', String(facts.length), count(facts, ({ rank }) => rank === 1)],
      ...[count(facts, ({ rank }) => rank > 0 && rank <= 3), count(facts, ({ rank }) => rank > 0)],
    ],
  ];
  const costs = steps.map(({ step, calls: of, tokensIn, tokensOut }) => [
    step,
    ...[of, tokensIn, tokensOut].map((value) => figure(value)),
  ]);
  const missed = [
    ...questions.filter(({ wideRank, rank }) => wideRank === 0 && rank === 0).map(({ ask }) => `not found: ${ask}`),
    ...facts.filter(({ rank }) => rank === 0).map(({ ask }) => `fact not found: ${ask}`),
    ...withoutAnswer.filter(({ fit }) => fit === 'strong').map(({ ask }) => `fit strong without an answer: ${ask}`),
    ...Object.entries(report.holds).flatMap(([what, isSo]) => (isSo ? [] : [`does NOT hold: ${what}`])),
  ];
  return [
    `${name}: ${documents.count} documents of ${figure(documents.tokens)} tokens`,
    `${tools.count} tools of ${figure(tools.tokens)} tokens; ${calls} calls; ${figure(tokens)} tokens in all, at most ${figure(context)} at once; ` +
      `at most ${Math.max(...questions.map(({ calls: of }) => of))} calls a question`,
    '',
    table(['found', 'asked', 'first', 'first 3', 'shown'], found),
    table(['step', 'calls', 'tokens in', 'tokens out'], costs),
    ...missed,
    '',
  ].join('\n');
}

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`bench:agent: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
