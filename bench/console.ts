#!/usr/bin/env node
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command } from 'commander';
import type { Page } from 'playwright-core';
import { withTemporaryServer, type TemporaryServer } from '../src/common/client/temporary-server.js';
import { startBrowser } from '../test/kit/chromium.js';
import { BenchRun, jsonOption, type JsonOption } from './bench-run.js';
import { heapOf, installProbe, probe, type ProbeFigures } from './console-probe.js';
import { fillStore, SESSION, type StoreSizes } from './console-store.js';
import { withDatabase } from './database.js';
import { mebibytes, milliseconds, type Series } from './report.js';
import { wholeNumber } from '../src/cli/whole-number.js';
import { figure, say, table } from './table.js';

/** What a list may take to answer a wheel turn or a key, and a screen until it can be used. */
const TARGETS_MS = { answer: 200, open: 1_000 };
const WHEEL_TURNS = 150;
const WHEEL_PX = 800;
/** Between two turns: somebody who scrolls in a hurry. */
const TURN_MS = 30;
const KEYS = 40;
const MIB = 1024 * 1024;

interface Options extends StoreSizes, JsonOption {
  console: string;
  profile?: string;
}

interface Row extends Partial<ProbeFigures> {
  screen: string;
  action: string;
  heap: number;
}

/** `npm run bench:console`: the console's lists and trees in a real browser, on a store of many rows. */
const program = new Command('bench:console')
  .description('scroll and press keys in lists of the console on a large store, in Chromium')
  .option('--facts <number>', 'in the store', wholeNumber(1_000, 2_000_000), 10_000)
  .option('--receipts <number>', 'in the store', wholeNumber(1_000, 1_000_000), 10_000)
  .option('--steps <number>', 'of one session', wholeNumber(1_000, 100_000), 2_000)
  .option('--console <folder>', 'the built console', 'dist/console')
  .option('--profile <file>', 'where a CPU profile of scrolling through the steps goes')
  .addOption(jsonOption())
  .action(async (options: Options) => {
    const run = new BenchRun('console', options);
    const environment = {
      ...{ SVCD_OBSERVE: '1', SVCD_RATE_LIMIT_RPS: '0', SVCD_CONSOLE_DIR: resolve(options.console) },
    };
    const rows = await withTemporaryServer({ environment }, async (server) => {
      await withDatabase(server, async ({ query, asOwner }) => {
        const { daemonUrl, tenantId } = server;
        say(
          `Storing ${figure(options.facts)} facts, ${figure(options.receipts)} receipts, ${figure(options.steps)} steps`,
        );
        await fillStore({ daemonUrl, tenantId, query }, options);
        await asOwner('analyze fact, fact_head, receipt, observe_step');
      });
      return benchScreens(server, options);
    });
    run.print({ rows }, rows.flatMap(seriesOf), () => describe(rows));
    const late = rows.filter(({ action, max }) => (max ?? 0) > TARGETS_MS[action === 'open' ? 'open' : 'answer']);
    for (const { screen, action, max } of late) say(`${screen}, ${action}: ${figure(max)} ms`);
    if (late.length > 0) process.exitCode = 1;
  });

const seriesOf = ({ screen, action, samples = [], heap }: Row): Series[] => [
  milliseconds(`${screen}, ${action}`, samples),
  mebibytes(`${screen}, ${action}: heap`, [heap / MIB]),
];

function describe(rows: readonly Row[]): string {
  const head = ['screen', 'action', 'inputs', 'p50 ms', 'p95 ms', 'max ms', 'longest task ms', 'heap MiB'];
  return table(
    head,
    rows.map(({ screen, action, count, p50, p95, max, longestTask, heap }) => [
      ...[screen, action, figure(count), figure(p50), figure(p95), figure(max), figure(longestTask)],
      figure(heap / MIB, 1),
    ]),
  );
}

/** The row that shows that a screen can be used. */
const SCREENS = {
  overview: { hash: '/', ready: '.figure strong' },
  facts: { hash: '/facts', ready: '.table-row' },
  receipts: { hash: '/receipts', ready: '.table-row' },
  steps: { hash: `/sessions/${SESSION}`, ready: '.table-row' },
} as const;

async function benchScreens(server: TemporaryServer, options: Options): Promise<Row[]> {
  const browser = await startBrowser();
  const rows: Row[] = [];
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    for (const [screen, { hash, ready }] of Object.entries(SCREENS)) {
      say(screen);
      const page = await context.newPage();
      await installProbe(page, ready);
      const began = performance.now();
      await page.goto(`${server.daemonUrl}/console#${hash}`);
      await page.evaluate('shown');
      const took = performance.now() - began;
      const once = { count: 1, p50: took, p95: took, max: took, samples: [took] };
      rows.push({ screen, action: 'open', ...once, heap: await heapOf(page) });
      if (screen === 'steps') await allSteps(page, options.steps);
      if (screen !== 'overview') await benchList({ page, screen, rows, options });
      await page.close();
    }
  } finally {
    await browser.close();
  }
  return rows;
}

const allSteps = (page: Page, steps: number): Promise<unknown> =>
  page.getByText(`${steps.toLocaleString('en-US')} in all`).waitFor({ timeout: 300_000 });

interface ListBench {
  page: Page;
  screen: string;
  rows: Row[];
  options: Options;
}

async function benchList({ page, screen, rows, options }: ListBench): Promise<void> {
  const measure = async (action: string, work: () => Promise<void>) => {
    say(`${screen}: ${action}`);
    const figures = await probe(page, work);
    rows.push({ screen, action, ...figures, heap: await heapOf(page) });
  };
  const scroll = (sign: 1 | -1) => () => turnWheel(page, sign);
  await page.locator('.table').hover();
  if (screen === 'steps' && options.profile) await profileWhile(page, options.profile, scroll(1));
  else await measure('scroll down', scroll(1));
  await measure('scroll back', scroll(-1));
  await page.locator('.table-row').first().focus();
  for (const key of ['ArrowDown', 'PageDown', 'End', 'Home'])
    await measure(key, () => press(page, key, key.length > 4 ? KEYS : 4));
  if (screen !== 'steps') return;
  await measure('fold and unfold the root', async () => {
    for (let n = 0; n < 4; n++) for (const key of ['ArrowLeft', 'ArrowRight']) await press(page, key, 1);
  });
  await page.getByRole('tab', { name: 'Timeline' }).click();
  await page.locator('.step-bar').first().waitFor();
  await page.locator('.table').hover();
  await measure('scroll the timeline', scroll(1));
}

async function turnWheel(page: Page, sign: 1 | -1): Promise<void> {
  for (let n = 0; n < WHEEL_TURNS; n++) {
    await page.mouse.wheel(0, sign * WHEEL_PX);
    await page.waitForTimeout(TURN_MS);
  }
}

async function press(page: Page, key: string, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    await page.keyboard.press(key);
    await page.waitForTimeout(TURN_MS);
  }
}

/** For DevTools, and for whoever looks where the time goes. */
async function profileWhile(page: Page, file: string, work: () => Promise<void>): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Profiler.enable');
  await session.send('Profiler.start');
  await work();
  const { profile } = await session.send('Profiler.stop');
  writeFileSync(file, JSON.stringify(profile));
}

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`bench:console: ${(error as Error).stack}\n`);
  process.exitCode = 1;
}
