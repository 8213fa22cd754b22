import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openConsole, type OpenedConsole } from './given.js';
import { SESSION, tellStory } from './shop-story.js';

const DOCS = join(import.meta.dirname, '..', '..', '..', 'docs');
/** Where pictures are written to; unset, they are not: fonts differ from machine to machine, and so would each file. */
const FOLDER = process.env['SVC_WRITE_PICTURES'];
const MAX_BYTES = 120_000;

interface Picture {
  name: string;
  hash: string;
  /** All headings of the screen in their order. A change here asks for a look at the picture. */
  headings: string[];
  /** What is there last. */
  ready: string;
  isDark?: true;
}

const OVERVIEW = {
  ...{ hash: '/', ready: '.section a.button' },
  headings: ['Overview', 'Readiness', 'Stored', 'Waiting for a decision', 'Live', 'Newest receipts'],
};
const PICTURES: Picture[] = [
  { name: 'overview', ...OVERVIEW },
  { name: 'overview-dark', ...OVERVIEW, isDark: true },
  { name: 'review', hash: '/review', ready: '.quote', headings: ['Review', 'Decision'] },
  {
    ...{ name: 'receipt', hash: '/receipts/RECEIPT', ready: '[data-check="checkpoint"][data-state="ok"]' },
    headings: [
      ...['Receipt', 'Verification', 'Verified in this browser', 'Record', 'Chain', 'Pinned key'],
      "The daemon's word",
    ],
  },
  {
    ...{ name: 'search', hash: '/search/refund%20for%20broken%20wheels', ready: '.results .score-bars' },
    headings: ['Search', 'Results', 'Documents', 'Facts'],
  },
  {
    ...{ name: 'session', hash: `/sessions/${SESSION}/decide`, ready: '.section' },
    headings: [`Session ${SESSION}`, 'Steps', 'Decide on the refund'],
  },
  {
    ...{ name: 'graph', hash: '/graph/order/4711', ready: '.graph circle' },
    headings: ['order 4711', 'Neighbourhood', 'Entity', 'History'],
  },
];

describe('pictures of the console', () => {
  let opened: OpenedConsole;
  let receipt: string;
  beforeAll(async () => {
    opened = await openConsole({
      env: { SVCD_OBSERVE: '1', SVCD_AUTO_CAPTURE: '1', SVCD_FEATURE_PASSPORT_MINT_REQUESTS: '1' },
      hasSession: true,
    });
    receipt = await tellStory(opened.api, opened.daemon);
  });
  afterAll(() => opened.close());

  it.each(PICTURES)('show what the screen is like: $name', async ({ name, hash, ready, headings, isDark }) => {
    const { page, visit } = opened;
    await page.emulateMedia({ colorScheme: isDark ? 'dark' : 'light' });
    await visit(hash.replace('RECEIPT', receipt));
    await page.locator(ready).first().waitFor({ timeout: 60_000 });
    await expect.poll(() => page.locator('main').locator('h1, h2').allTextContents()).toEqual(headings);
    if (FOLDER) await write(page, FOLDER, name);
  });

  it.each(PICTURES)('are small files of docs: $name', ({ name }) => {
    expect(statSync(join(DOCS, 'images', `console-${name}.png`)).size).toBeLessThan(MAX_BYTES);
  });
});

async function write(page: Page, folder: string, name: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.screenshot({ path: join(folder, `console-${name}.png`), animations: 'disabled' });
}
