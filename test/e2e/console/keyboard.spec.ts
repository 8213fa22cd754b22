import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openConsole, type OpenedConsole } from './given.js';

const TASKS = ['oil the hinge', 'paint the fence', 'wind the clock', 'sweep the stairs', 'trim the lamp'];
/** Stops of the tab key on a screen, and then some. */
const MAX_STOPS = 80;
/** The page looks every 50 ms whether a dialog is gone; a machine that is busy with other tests takes longer. */
const POLLED = { timeout: 30_000 };

let opened: OpenedConsole;
beforeAll(async () => {
  opened = await openConsole({ env: { SVCD_AUTO_CAPTURE: '1' } });
  const text = TASKS.map((task) => `To do: ${task}.`).join('\n');
  const extracted = await opened.daemon.call('POST', '/v1/memory/extract', { text, profile: 'tasks' });
  expect(extracted.body).toMatchObject({ written: TASKS.length });
});
afterAll(() => opened.close());

interface Focus {
  /** Its label or text; of a row what it is about. */
  text: string;
  isRow: boolean;
  isSeen: boolean;
  isInDialog: boolean;
}

/** What has the focus; nothing after the last stop of the page, where the browser's own buttons have it. */
const focusOf = (page: Page): Promise<Focus | undefined> =>
  page.locator('body').evaluate((body: any) => {
    const element = body.ownerDocument.activeElement;
    if (element === body) return undefined;
    const styled = element.closest('.checkbox')?.querySelector('.box') ?? element;
    const { outlineStyle, outlineWidth } = body.ownerDocument.defaultView.getComputedStyle(styled);
    const { width, height } = styled.getBoundingClientRect();
    const isRow = element.classList.contains('table-row');
    const named = isRow ? (element.querySelector('[title]') ?? element) : element;
    return {
      text: String(named.getAttribute('aria-label') ?? named.textContent).trim(),
      isRow,
      isSeen: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 && width > 0 && height > 0,
      isInDialog: element.closest('[role="dialog"]') !== null,
    };
  });

/** At a screen whose heading has the focus: until then that is on its way from the screen before. */
async function arriveAt(hash: string, title: string): Promise<void> {
  await opened.visit(hash);
  await opened.page.locator('h1:focus', { hasText: title }).waitFor();
}

/** Presses Tab until what has the focus is this. Each stop on the way shows that it has the focus. */
async function tabTo(page: Page, isIt: (focus: Focus) => boolean): Promise<void> {
  for (let stop = 0; stop < MAX_STOPS; stop += 1) {
    await page.keyboard.press('Tab');
    const focus = await focusOf(page);
    if (!focus) continue;
    expect(focus).toMatchObject({ isSeen: true });
    if (isIt(focus)) return;
  }
  throw new Error('no stop of the tab key is this');
}
const isButton = (name: string) => (focus: { text: string }) => focus.text === name;

/** A dialog is there before it has the focus; until then keys go to what is behind it. */
async function hasFocus(page: Page, name?: string): Promise<void> {
  await page.getByRole('dialog', name === undefined ? {} : { name }).waitFor();
  await expect.poll(async () => (await focusOf(page))?.isInDialog, POLLED).toBe(true);
}

/** The focus stays in the dialog, whichever way it goes, and is back where it was once the dialog is closed. */
async function expectTrap(page: Page, before: string): Promise<void> {
  await hasFocus(page);
  for (const key of [...Array<string>(8).fill('Tab'), ...Array<string>(9).fill('Shift+Tab')]) {
    await page.keyboard.press(key);
    expect([key, (await focusOf(page))?.isInDialog]).toEqual([key, true]);
  }
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await expect.poll(async () => (await focusOf(page))?.text, POLLED).toBe(before);
}

describe('the review inbox by keys alone', () => {
  it('is reached by the name of the screen', async () => {
    const { page } = opened;
    await page.keyboard.press('Control+k');
    await hasFocus(page, 'Go to a screen');
    await page.keyboard.type('review');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('h1:focus', { hasText: 'Review' }).waitFor();
    await page.locator('.table-row').first().waitFor();
    await page.keyboard.press('j');
    await expect.poll(() => focusOf(page), POLLED).toMatchObject({ isRow: true, isSeen: true });
  });

  it('shows its keys, edits and rejects in dialogs that take the focus and give it back', async () => {
    const { page } = opened;
    const { text } = (await focusOf(page))!;
    for (const key of ['?', 'e', 'r']) {
      await page.getByRole('list', { name: 'Evidence' }).waitFor();
      await page.keyboard.press(key);
      await expectTrap(page, text);
    }
  });

  it('approves, undoes, rejects, and approves several at once; the next row has the focus each time', async () => {
    const { page, daemon } = opened;
    const next = () => expect.poll(() => focusOf(page), POLLED).toMatchObject({ isRow: true, isSeen: true });
    const shown = () => page.getByRole('list', { name: 'Evidence' }).waitFor();
    await shown();
    await page.keyboard.press('a');
    await page.getByText(/^Stored: /).waitFor();
    await next();
    await page.keyboard.press('u');
    await page.getByText('Undone: the fact is retired.').waitFor();
    await next();
    await shown();
    await page.keyboard.press('r');
    await hasFocus(page);
    await page.keyboard.type('done already');
    await page.keyboard.press('Enter');
    await page.getByText(/^Rejected: /).waitFor();
    await next();
    await page.keyboard.press('x');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('x');
    await page.getByText('Approve 2 selected').waitFor();
    await page.keyboard.press('Shift+A');
    await page.getByText('Stored 2 of 2.').waitFor();
    await next();
    const { body } = await daemon.call('GET', '/v1/memory/candidates?status=promoted');
    expect(body.count).toBe(2);
  });
});

describe('a receipt by Tab and Enter alone', () => {
  it('is found, opened, verified and exported; each stop shows the focus', async () => {
    const { page } = opened;
    await arriveAt('/', 'Overview');
    await tabTo(page, isButton('Receipts'));
    await page.keyboard.press('Enter');
    await page.locator('h1:focus', { hasText: 'Receipts' }).waitFor();
    await page.locator('.table-row').first().waitFor();
    await tabTo(page, ({ isRow }) => isRow);
    await page.keyboard.press('Enter');
    await page.getByText('Verified in this browser').waitFor();
    await tabTo(page, isButton('Verify again'));
    const asked = page.waitForRequest(/\/v1\/receipts\//);
    await page.keyboard.press('Enter');
    await asked;
    await page.getByText('Verified in this browser').waitFor();
    await tabTo(page, isButton('Export'));
    const saved = page.waitForEvent('download');
    await page.keyboard.press('Enter');
    expect((await saved).suggestedFilename()).toMatch(/^receipt-.*\.json$/);
  });
});

describe('a dialog that a button opens', () => {
  it('gives the focus back to the button', async () => {
    const { page } = opened;
    await arriveAt('/facts', 'Facts');
    await tabTo(page, isButton('Store a fact'));
    await page.keyboard.press('Enter');
    await expectTrap(page, 'Store a fact');
  });
});
