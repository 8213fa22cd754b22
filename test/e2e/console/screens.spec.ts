import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { givenSeat } from '../../medium/frontdoor/given.js';
import { expectSound } from '../../kit/browser.js';
import { ALL_FLAGS_ON } from '../../kit/daemon-contract.js';
import { addressesOfScreens, openConsole, type OpenedConsole } from './given.js';

const ADDRESSES = addressesOfScreens();

let opened: OpenedConsole;
beforeAll(async () => {
  opened = await openConsole({ env: ALL_FLAGS_ON });
  const { daemon } = opened;
  for (const value of ['1843', '1844-02-01'])
    await daemon.call('PUT', '/v1/facts', { entity: 'lighthouse:skerryvore', key: 'first_lit', value });
  await daemon.call('PUT', '/v1/facts', { entity: '__lamp', key: 'kind', value: 'Fresnel' });
});
afterAll(() => opened.close());

describe('the screens', () => {
  it('are found', () => {
    expect(ADDRESSES.length).toBeGreaterThan(15);
  });

  it.each(ADDRESSES)('opens by its address, without a fault, in light and dark: %s', async (address) => {
    const { page, faults, visit } = opened;
    await visit(address);
    await page.locator('main .loading').first().waitFor({ state: 'detached' });
    await expectSound(page, faults);
  });

  it.each(ADDRESSES)('is no wider than a page of 320 pixels: %s', async (address) => {
    const { page, visit } = opened;
    await page.setViewportSize({ width: 320, height: 800 });
    await visit(address);
    const width = await page.locator('html').evaluate(({ scrollWidth }) => scrollWidth);
    expect(width).toBeLessThanOrEqual(320);
    await page.setViewportSize({ width: 1280, height: 900 });
  });
});

describe('the overview', () => {
  it.each([
    ['Facts', 1],
    ['All versions', 3],
  ])('has the number of the list that it leads to: %s', async (label, count) => {
    const { page, visit } = opened;
    await visit('/');
    await page
      .locator('.figure', { hasText: label })
      .getByRole('link', { name: String(count), exact: true })
      .click();
    await page.locator('.table-foot', { hasText: `${count} in all` }).waitFor();
  });
});

describe.each(['viewer', 'member', 'admin'] as const)('of a seat that is %s', (role) => {
  let context: BrowserContext;
  let page: Page;
  const refused: string[] = [];
  beforeAll(async () => {
    const { api, daemon, page: others } = opened;
    const { cookie } = await givenSeat(api, 'acme', role);
    context = await others.context().browser()!.newContext();
    await context.addCookies([{ name: 'svc_session', value: cookie.split('=')[1]!, url: daemon.url }]);
    page = await context.newPage();
    page.on('response', (response) => {
      if (response.status() === 403) refused.push(`${response.request().method()} ${response.url()}`);
    });
  });
  afterAll(() => context.close());

  it.each(ADDRESSES)('asks for nothing that the role may not see: %s', async (address) => {
    await opened.visit(address, page);
    await page.locator('main .loading').first().waitFor({ state: 'detached' });
    expect(refused).toEqual([]);
  });

  it('says of buttons and screens that are not for the role why', async () => {
    const { visit } = opened;
    await visit('/facts', page);
    const store = page.getByRole('button', { name: 'Store a fact' });
    expect(await store.getAttribute('aria-disabled')).toBe(role === 'viewer' ? 'true' : null);
    if (role === 'viewer') {
      await page.locator('.without-right[title^="Your role is viewer; this needs member, admin or owner."]').waitFor();
      await store.press('Enter');
      expect(await page.getByRole('dialog').count()).toBe(0);
    }
    await visit('/keys', page);
    await page.getByText('API keys: not for this sign-in').waitFor();
    await page
      .getByRole('link', { name: /^API keys/ })
      .getByText('no right')
      .waitFor();
  });
});

describe('a screen whose flag is off', () => {
  it('says which setting switches it on, and asks nothing', async () => {
    const { page, faults, visit, close } = await openConsole({ env: { SVCD_PUNCHCARD: 'off' } });
    try {
      await visit('/leases');
      await page.getByText('SVCD_PUNCHCARD=').waitFor();
      await expectSound(page, faults);
    } finally {
      await close();
    }
  });
});
