import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const require = createRequire(import.meta.url);

/** What a page did that a sound page does not: kept from the moment it is watched. */
export interface PageFaults {
  errors: string[];
  foreign: string[];
}

export function watchPage(page: Page, origin: string): PageFaults {
  const faults: PageFaults = { errors: [], foreign: [] };
  page.on('console', (message) => {
    const isFault = message.type() === 'error' || message.type() === 'warning';
    if (isFault && !isReadiness(message.location().url)) faults.errors.push(message.text());
  });
  page.on('pageerror', (error) => faults.errors.push(error.message));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith('http') && url.origin !== origin) faults.foreign.push(request.url());
  });
  return faults;
}

/**
 * The browser logs every answer of 503. Of readiness it is an answer, which the page shows: on a busy machine a check
 * may take longer than it has.
 */
const isReadiness = (url: string): boolean => url.endsWith('/readyz');

/** What axe finds on the page as it stands, each with the element. */
async function accessibilityFaults(page: Page): Promise<string[]> {
  const source = await readFile(require.resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(source);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<any> } };
    const { violations } = await axe.run();
    return violations.flatMap(({ id, nodes }: any) => nodes.map(({ html }: any) => `${id}: ${html}`));
  });
}

/** Nobody's complaint in light and in dark: the console, other origins, axe. */
export async function expectSound(page: Page, faults: PageFaults): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect([colorScheme, await accessibilityFaults(page)]).toEqual([colorScheme, []]);
  }
  expect(faults).toEqual({ errors: [], foreign: [] });
}
