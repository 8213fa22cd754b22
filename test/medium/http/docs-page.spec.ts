import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../kit/app.js';
import { watchPage, type PageFaults } from '../../kit/browser.js';
import { startBrowser } from '../../kit/chromium.js';

let api: TestApi;
let browser: Browser;
let page: Page;
let faults: PageFaults;
beforeAll(async () => {
  api = await startApi();
  const { apiKey } = await api.addTenant('default');
  browser = await startBrowser();
  page = await browser.newPage({ extraHTTPHeaders: { 'x-tenant-id': 'default', 'x-api-key': apiKey } });
  faults = watchPage(page, api.url);
  await page.goto(`${api.url}/docs`);
});
afterAll(async () => {
  await browser?.close();
  await api.close();
});

const operation = (id: string) => page.locator(`[id$="-${id}"].opblock`);

/** Opens an operation, and has its fields shown. */
async function open(id: string): Promise<void> {
  await operation(id).locator('.opblock-summary-control').click();
  await operation(id).getByRole('button', { name: 'Try it out' }).click();
}

it('shows closed groups, the main job first', async () => {
  const names = page.locator('h3.opblock-tag');
  await names.first().waitFor();
  expect((await names.evaluateAll((all) => all.map((one) => one.getAttribute('data-tag')))).slice(0, 4)).toEqual([
    'ingest',
    'retrieval',
    'citations',
    'proofs',
  ]);
  expect(await page.locator('.opblock').count()).toBe(0);
  expect(await page.getByPlaceholder('Filter by tag').count()).toBe(1);
});

it('sends what is filled in under a key of its own, and takes the id from the answer', async () => {
  await page.locator('h3.opblock-tag[data-tag="ingest"]').click();
  await open('ingestDocument');
  const keys: (string | undefined)[] = [];
  for (let times = 0; times < 2; times += 1) {
    const answer = page.waitForResponse((one) => one.request().method() === 'POST');
    await operation('ingestDocument').getByRole('button', { name: 'Execute' }).click();
    const { status, headers } = { status: (await answer).status(), headers: (await answer).request().headers() };
    expect(status).toBe(202);
    keys.push(headers['x-idempotency-key']);
  }
  expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), expect.stringMatching(/^[0-9a-f]{32}$/)]);
  expect(keys[0]).not.toBe(keys[1]);
  await open('readIngest');
  const asked = page.waitForResponse((one) => one.request().method() === 'GET');
  await operation('readIngest').getByRole('button', { name: 'Execute' }).click();
  expect((await asked).status()).toBe(200);
  expect(faults).toEqual({ errors: [], foreign: [] });
});
