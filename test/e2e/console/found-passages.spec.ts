import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { givenSeat } from '../../medium/frontdoor/given.js';
import { ingest } from '../../medium/retrieval/given.js';
import { on, openConsole, type OpenedConsole } from './given.js';

const TIMEOUT_MS = 120_000;
/** Longer than what addresses once bore of a passage. */
const REFRAIN = `The keeper of the tower writes into his book ${'what the wind and the sea have done, '.repeat(8)}and signs it.`;
const filler = (word: string): string => Array.from({ length: 120 }, (_, index) => `${word} ${index}`).join(' ');
const section = (title: string, word: string): string => `# ${title}\n\n${REFRAIN} ${filler(word)}`;
const REPEATED = [section('North', 'lantern'), section('South', 'obelisk')].join('\n\n');
const HTML =
  '<html><body><h1>Ferries</h1><p>The <em>crossing</em> takes &frac12; an hour &amp; is free.</p></body></html>';

let opened: OpenedConsole;
let acts: ReturnType<typeof on>;
beforeAll(async () => {
  opened = await openConsole({ hasSession: true });
  acts = on(opened, 'acme');
  await ingest(opened.api.tenant, [
    { docId: 'book', content: REPEATED },
    { docId: 'page', content: HTML },
    { docId: 'notice', content: 'The harbour master is in his office at noon on working days.' },
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

  it('has the passage marked that was found, to its end, where another begins with the same words', async () => {
    await open('obelisk', 'book');
    await mark().waitFor();
    const marked = (await mark().textContent())!;
    expect(marked).toContain('obelisk 100');
    expect(marked).not.toContain('lantern');
    expect(await mark().locator('..').textContent()).toBe(REPEATED);
    await acts.isSound();
  });

  it('has the passage of a web page marked in its source', async () => {
    await open('crossing takes an hour', 'page');
    await mark().waitFor();
    expect(await mark().textContent()).toContain('<em>crossing</em> takes');
    expect(await opened.page.getByText('not of this version').count()).toBe(0);
  });

  it('says that the passage is of an earlier version, and leads to what stands in its place', async () => {
    const { page, api } = opened;
    await open('harbour master', 'notice');
    await mark().waitFor();
    await ingest(api.tenant, [
      { docId: 'notice', content: 'The harbour master is in his office at three on working days.' },
    ]);
    await page.reload();
    await page.getByText('The passage is not of this version').waitFor();
    expect(await mark().count()).toBe(0);
    await page.getByRole('link', { name: 'What stands in its place' }).click();
    await mark().getByText('at three').waitFor();
    expect(await page.getByText('The passage is not of this version').count()).toBe(0);
  });

  it('has its times with their zone, and in UTC', async () => {
    await opened.visit('/documents/handbook/book');
    const time = opened.page.locator('main time').first();
    expect(await time.textContent()).toMatch(/\b(UTC|GMT\S*|[A-Z]{3,4})$/);
    expect(await time.getAttribute('title')).toMatch(/ \(\d{4}-\d\d-\d\dT[\d:.]+Z\)$/);
  });
});

describe('search', () => {
  it('says that more match than are shown', async () => {
    const { api, page, visit } = opened;
    const buoys = Array.from({ length: 30 }, (_, index) => ({
      docId: `buoy-${index}`,
      content: `Buoy number ${index}.`,
    }));
    await ingest(api.tenant, buoys);
    await visit('/search/buoy');
    await page.getByText(', more match than are shown').waitFor();
  });

  it('asks from two characters on', async () => {
    const { page, visit } = opened;
    await visit('/search');
    const button = page.getByRole('search').getByRole('button', { name: 'Search' });
    await page.getByLabel('What to look for').fill('o');
    expect(await button.isDisabled()).toBe(true);
    await page.getByLabel('What to look for').fill('ob');
    expect(await button.isDisabled()).toBe(false);
  });

  it('leads a viewer to no document, which viewers may not read', async () => {
    const { page, api, daemon } = opened;
    const { cookie } = await givenSeat(api, 'acme', 'viewer');
    const context = await page.context().browser()!.newContext();
    await context.addCookies([{ name: 'svc_session', value: cookie.split('=')[1]!, url: daemon.url }]);
    const theirs = await context.newPage();
    await opened.visit('/search/crossing', theirs);
    const found = theirs.locator('.results').first();
    await found.getByText('page', { exact: true }).first().waitFor();
    expect(await found.getByRole('link').count()).toBe(0);
    await context.close();
  });
});

describe('forms', () => {
  it.each([
    ['/facts', 'Store a fact', 'Store', ['Entity', 'Key', 'Value']],
    ['/documents', 'Ingest a text', 'Ingest', ['Corpus', 'Document', 'Title', 'Address of the original', 'Text']],
  ])('send nothing before all that is required is there: %s', async (address, opening, sending, fields) => {
    await opened.visit(address);
    await acts.press(opening);
    const send = acts.dialog().getByRole('button', { name: sending, exact: true });
    for (const field of fields) {
      expect(await send.isDisabled()).toBe(true);
      await acts.dialog().getByLabel(field, { exact: true }).fill('https://example.org');
    }
    expect(await send.isDisabled()).toBe(false);
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
