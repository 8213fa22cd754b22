import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, type DaemonCall } from '../../kit/daemon.js';
import { ALL_FLAGS_ON } from '../../kit/daemon-contract.js';
import { HOSTILE_TEXTS, UNBREAKABLE } from '../../kit/hostile-texts.js';
import { ingest } from '../../medium/retrieval/given.js';
import { Replica } from '../../medium/sync/given.js';
import { addressesOfScreens, openConsole, type OpenedConsole } from './given.js';
import { kindsOf, type Given, type Kind } from './hostile-kinds.js';

const WIDTHS = [1280, 320];
/** Requests that are under way at once. */
const AT_ONCE = 8;
/** For some thousands of requests. */
const STORING_MS = 600_000;
/** A test each, of those screens that show one thing. */
const SHARES = [0, 1, 2, 3];
/** How many records of one kind are opened. */
const SHOWN_OF_A_KIND = 8;

let opened: OpenedConsole;
/** How many texts each kind of record took. */
const taken = new Map<string, number>();
/** Addresses of what took a text. */
const details: string[] = [];

async function storeAll(kind: Kind): Promise<void> {
  const left = [...HOSTILE_TEXTS.entries()];
  const addresses: string[] = [];
  taken.set(kind.name, 0);
  const worker = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const [index, text] = next;
      const { status, body } = await kind.store(text, index);
      // A refusal is well, and a failure of the server is not.
      expect([kind.name, text.slice(0, 80), status < 500]).toEqual([kind.name, text.slice(0, 80), true]);
      if (status >= 300) continue;
      taken.set(kind.name, taken.get(kind.name)! + 1);
      if (kind.addressOf) addresses[index] = kind.addressOf(body, index);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  details.push(...someOf(addresses));
}

/** A few from all over, the same each time. @param addresses by the index of their text */
function someOf(addresses: readonly string[]): string[] {
  const distinct = [...new Set(addresses.filter((address) => address !== undefined))];
  const some = distinct.filter((_, index) => index % Math.ceil(distinct.length / SHOWN_OF_A_KIND) === 0);
  return [...some, addresses[HOSTILE_TEXTS.indexOf(UNBREAKABLE)] ?? []].flat();
}

/** What records of some kinds belong to. */
async function storeBases({ api }: OpenedConsole, call: DaemonCall): Promise<Given> {
  await ingest(api.tenant, [{ docId: 'charter', content: 'The harbour is open to all ships at all times.' }]);
  const found = await api.tenant.call('POST', '/v1/retrieve', { query: 'harbour', lane: 'audit' });
  const work = { project_id: 'hostile', title: 'commented', created_by_passport: 'keeper', state: 'ready' };
  const { body: item } = await call('POST', '/v1/work', work);
  await call('POST', '/v1/projects', { id: 'hostile', name: 'hostile', default_passport_id: 'keeper' });
  await call('PUT', '/v1/entities/hostile/a', { payload: {} });
  return { daemon: call, tenant: api.tenant, chunkId: found.body.results[0].chunkId, workId: item.id };
}

/** Facts that two tenants wrote without knowing of each other: of each text one version here and one there. */
async function storeConflicts({ daemon, api }: OpenedConsole): Promise<void> {
  const [here, there] = [new Replica(daemon, api.tenant.tenantId), new Replica(daemon, 'elsewhere')];
  for (const [index, text] of HOSTILE_TEXTS.entries()) {
    const fact = { entity: `conflict:${index} ${text}`.slice(0, 200), key: 'note' };
    const { status } = await here.call('PUT', '/v1/facts', { ...fact, value: text });
    if (status < 300) await there.call('PUT', '/v1/facts', { ...fact, value: `${text} too` });
  }
  await here.pull(there);
  const { conflicts } = await here.ok<{ conflicts: object[] }>('GET', here.at('conflicts?limit=200'));
  taken.set('conflict', conflicts.length);
}

beforeAll(async () => {
  opened = await openConsole({ env: ALL_FLAGS_ON, hasSession: true });
  const { daemon, api } = opened;
  const call = daemon.as({ scopes: ALL_SCOPES, tenant: api.tenant.tenantId, passport: 'keeper' });
  for (const kind of kindsOf(await storeBases(opened, call))) await storeAll(kind);
  await storeConflicts(opened);
  await call('POST', '/v1/projects/hostile/storybook');
  details.push('/projects/hostile/storybook');
  // In one go: an extraction takes a while.
  const lines = HOSTILE_TEXTS.filter((text) => text.isWellFormed() && text.length < 1_000 && !/[\n\r\0]/.test(text));
  const text = lines.map((line) => `To do: ${line}`).join('\n');
  const extracted = await call('POST', '/v1/memory/extract', { text, profile: 'tasks' });
  expect(extracted.body).toMatchObject({ written: expect.any(Number) });
  taken.set('candidate', extracted.body.written);
  opened.page.on('dialog', (dialog) => {
    opened.faults.errors.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
}, STORING_MS);
afterAll(() => opened.close());

/** Brings every row of every table into the document once. */
async function scrollThrough(page: Page): Promise<void> {
  await page.locator('main').evaluate(async (main: any) => {
    for (const table of main.querySelectorAll('.table'))
      for (let top = 0; top < table.scrollHeight && top < 40_000; top += table.clientHeight) {
        table.scrollTop = top;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
  });
}

/**
 * What there is of a text that ran or moved things. An element is too wide where what it has in it stands over the
 * edge of the page and nothing around it cuts it off.
 */
const lookAt = (page: Page) =>
  page.locator('html').evaluate((html: any) => {
    const width = html.clientWidth;
    const isOver = (one: any) => one.getBoundingClientRect().left + one.scrollWidth > width;
    const over = html.scrollWidth > width ? [...html.querySelectorAll('body *')].filter(isOver) : [];
    return {
      xss: html.ownerDocument.defaultView.__xss,
      isTooWide: html.scrollWidth > width,
      tooWide: over.slice(-3).map((one: any) => one.outerHTML.slice(0, 200)),
      hasFailed: html.textContent.includes('This screen failed'),
    };
  });
const HARMLESS = { xss: undefined, isTooWide: false, tooWide: [], hasFailed: false };

async function expectShownHarmless(what: string): Promise<void> {
  const { page, faults } = opened;
  await page.locator('main .loading').first().waitFor({ state: 'detached' });
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await scrollThrough(page);
    expect([what, width, await lookAt(page)]).toEqual([what, width, HARMLESS]);
  }
  expect([what, faults]).toEqual([what, { errors: [], foreign: [] }]);
}

async function expectHarmless(address: string): Promise<void> {
  await opened.visit(address);
  await expectShownHarmless(address);
}

/**
 * Opens rows of a table one after another, each next to it or in a dialog that Escape closes. By the keyboard: a click
 * waits until the row stands still for two frames, and a headless browser on a busy machine has stopped making any.
 */
async function openRows(address: string, table: string): Promise<void> {
  const { page, visit } = opened;
  await page.setViewportSize({ width: WIDTHS[0]!, height: 900 });
  await visit(address);
  const rows = page.getByRole('grid', { name: table }).locator('.table-row');
  const dialog = page.getByRole('dialog');
  await rows.first().waitFor();
  for (let index = 0; index < SHOWN_OF_A_KIND; index += 1) {
    await rows.nth(index).press('Enter');
    await dialog.or(page.getByRole('heading', { name: /^Claims of / })).waitFor();
    await expectShownHarmless(`${table}, row ${index}`);
    await page.setViewportSize({ width: WIDTHS[0]!, height: 900 });
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  }
}

describe('hostile texts', () => {
  it('are two hundred, and are taken wherever a text is', () => {
    expect(HOSTILE_TEXTS.length).toBe(200);
    const few = [...taken].filter(([, count]) => count < 50);
    expect([taken.size, few]).toEqual([29, []]);
  });

  it.each(addressesOfScreens())('are shown as texts in a list: %s', expectHarmless);

  it.each(SHARES)('are shown as texts where one thing is shown, share %i', async (share) => {
    const addresses = [...new Set(details)].filter((_, index) => index % SHARES.length === share);
    for (const address of addresses) await expectHarmless(address);
  });

  it.each([
    ['/projects/hostile/dossiers', 'Dossiers'],
    ['/peers', 'Peers'],
    ['/peers', 'Conflicts'],
    ['/seats', 'Seats'],
    ['/keys', 'API keys'],
  ])('are shown as texts in what opens from a list: %s', openRows);
});
