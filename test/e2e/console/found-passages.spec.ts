import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ingest } from '../../medium/retrieval/given.js';
import { openConsole, type OpenedConsole } from './given.js';

const TIMEOUT_MS = 120_000;
/** Longer than what addresses once bore of a passage. */
const REFRAIN = `The keeper of the tower writes into his book ${'what the wind and the sea have done, '.repeat(8)}and signs it.`;
const filler = (word: string): string => Array.from({ length: 120 }, (_, index) => `${word} ${index}`).join(' ');
const section = (title: string, word: string): string => `# ${title}\n\n${REFRAIN} ${filler(word)}`;
const REPEATED = [section('North', 'lantern'), section('South', 'obelisk')].join('\n\n');

let opened: OpenedConsole;
beforeAll(async () => {
  opened = await openConsole({ hasSession: true });
  await ingest(opened.api.tenant, [
    { docId: 'book', content: REPEATED },
  ]);
}, TIMEOUT_MS);
afterAll(() => opened.close());
beforeEach(() => {
  opened.faults.errors.length = 0;
});

const hit = (title: string) => opened.page.locator('.results').first().getByRole('link', { name: title }).first();
const mark = () => opened.page.locator('main mark');
/** Opens the first hit of a document, as somebody who searches. */
async function open(query: string, title: string): Promise<void> {
  await opened.visit(`/search/${encodeURIComponent(query)}`);
  await hit(title).click();
  await opened.page.getByRole('heading', { level: 1, name: `Document ${title}` }).waitFor();
}

describe('a document that a hit leads to', () => {
  it('is left by going back, to the hits', async () => {
    const { page, faults } = opened;
    await open('keeper of the tower', 'book');
    await mark().waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor();
    await hit('book').waitFor();
    expect(faults.errors).toEqual([]);
  });
});

describe('a defect outside of the screens', () => {
  it('is said in the place of the console', async () => {
    const page = await opened.newPage();
    await page.addInitScript('delete globalThis.BroadcastChannel');
    await opened.visit('/', page);
    await page.getByRole('heading', { name: 'The console failed' }).waitFor();
    await page.getByRole('button', { name: 'Show it again' }).waitFor();
    await page.close();
  });
});
