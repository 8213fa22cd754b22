import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectSound } from '../../kit/browser.js';
import { ALL_FLAGS_ON } from '../../kit/daemon-contract.js';
import { addressesOfScreens, openConsole, type OpenedConsole } from './given.js';

const ADDRESSES = addressesOfScreens();

let opened: OpenedConsole;
beforeAll(async () => {
  opened = await openConsole({ env: ALL_FLAGS_ON });
  const { daemon } = opened;
  await daemon.call('PUT', '/v1/facts', { entity: 'lighthouse:skerryvore', key: 'first_lit', value: '1844-02-01' });
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
