import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillStore, SESSION } from '../../../bench/console-store.js';
import { openConsole, type OpenedConsole } from './given.js';

const SIZES = { facts: 3_000, receipts: 1_000, steps: 20_000 };
/** Rows in view, those before and after them, and the one with the focus. */
const MAX_ROWS = 60;
const TURN_PX = 4_000;
/** Each rendering of a time makes one such text: how often rows are rendered, whatever they look like. */
const COUNT_RENDERED_TIMES = `
  globalThis.renderedTimes = 0;
  const make = Date.prototype.toISOString;
  Date.prototype.toISOString = function () {
    renderedTimes += 1;
    return make.call(this);
  };
`;
/** As on a machine that has no time for them: what they were for may be over by then. */
const DELAY_SHORT_TIMERS = `
  const start = setTimeout;
  globalThis.setTimeout = (run, ms = 0, ...rest) => start(run, ms < 5 ? ms + 60 * Math.random() : ms, ...rest);
`;

describe('lists of many rows', () => {
  let opened: OpenedConsole;
  const rows = () => opened.page.locator('.table-row');
  const turn = async (px: number) => {
    await opened.page.mouse.wheel(0, px);
    await opened.page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  };
  const foot = (text: string | RegExp, page = opened.page) => page.locator('.table-foot', { hasText: text });

  beforeAll(async () => {
    opened = await openConsole({ env: { SVCD_OBSERVE: '1' } });
    const { daemon, page } = opened;
    await fillStore({ daemonUrl: daemon.url, tenantId: 'default', query: daemon.database.query }, SIZES);
    await page.addInitScript({ content: COUNT_RENDERED_TIMES });
    await page.reload();
  });
  afterAll(() => opened.close());

  it('have few rows in the document, wherever 20,000 steps are scrolled to', async () => {
    const { page, visit } = opened;
    await visit(`/sessions/${SESSION}`);
    await foot('20,000 in all').waitFor();
    await page.locator('.table').hover();
    const counts: number[] = [];
    for (let n = 0; n < 30; n++) {
      await turn(n < 20 ? TURN_PX : -TURN_PX);
      counts.push(await rows().count());
    }
    expect(Math.max(...counts)).toBeLessThan(MAX_ROWS);
    expect(Math.min(...counts)).toBeGreaterThan(10);
  });

  it('are read to their end on a busy machine', async () => {
    const page = await opened.newPage();
    await page.addInitScript({ content: DELAY_SHORT_TIMERS });
    await opened.visit(`/sessions/${SESSION}`, page);
    await foot('20,000 in all', page).waitFor({ timeout: 120_000 });
    await page.close();
  });

  it('render a row that is there already not again when others come into view', async () => {
    const { page } = opened;
    await page.locator('.table-row[tabindex="0"]').focus();
    await page.keyboard.press('Home');
    await expect.poll(() => rows().first().getAttribute('aria-rowindex')).toBe('2');
    const before = await page.evaluate<number>('renderedTimes');
    for (let n = 0; n < 40; n++) await page.keyboard.press('ArrowDown');
    await page.locator('.table-row[aria-rowindex="42"]:focus').waitFor();
    const rendered = (await page.evaluate<number>('renderedTimes')) - before;
    // A key moves the focus from one row to the next and brings a third into view; all would be thirty a key.
    expect(rendered).toBeLessThan(40 * 10);
  });

  it('keep the pages around what is shown, and ask for the others again', async () => {
    const { page, visit } = opened;
    await visit('/facts');
    await rows().first().waitFor();
    const valueOfFirst = () => page.locator('.table-row[aria-rowindex="2"] > :nth-child(3)').textContent();
    const value = await valueOfFirst();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.locator('.table').hover();
    while (!(await foot('in all').isVisible())) await turn(TURN_PX);
    const pagesDown = asked.filter((url) => url.includes('/v1/facts/list')).length;
    await rows().first().focus();
    await page.keyboard.press('Home');
    await expect.poll(valueOfFirst, { timeout: 60_000 }).toBe(value);
    const pagesBack = asked.filter((url) => url.includes('/v1/facts/list')).length - pagesDown;
    expect(pagesBack).toBeGreaterThan(5);
    expect(await page.locator('.table-row[aria-busy]').count()).toBe(0);
  });
});
