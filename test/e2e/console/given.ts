import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import { startApi, type TestApi } from '../../kit/app.js';
import { expectSound, watchPage, type PageFaults } from '../../kit/browser.js';
import { startBrowser } from '../../kit/chromium.js';
import { ALL_SCOPES, startDaemon, type TestDaemon } from '../../kit/daemon.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');
/** As `npm test` has built it. */
const BUILT = join(ROOT, 'dist', 'console');
const SCREENS = join(ROOT, 'console', 'src', 'app', 'screens.ts');

/** Every screen whose address names nothing in particular. */
export const addressesOfScreens = (): string[] =>
  [...readFileSync(SCREENS, 'utf8').matchAll(/screen\('(\/[\w/-]*)'/g)].map(([, path]) => path!);

const VIEWPORT = { width: 1280, height: 900 };
const READY = { timeout: 60_000, interval: 100 };

/** The console in a real browser, on a daemon and a tenant API of one database. */
export interface OpenedConsole {
  daemon: TestDaemon;
  api: TestApi;
  page: Page;
  context: BrowserContext;
  faults: PageFaults;
  /** Goes to a screen by its address, as somebody who has it from a mail. */
  visit(hash: string, page?: Page): Promise<void>;
  /** Another tab of the same browser. */
  newPage(): Promise<Page>;
  stopDaemon(): Promise<void>;
  /** At the address that it had, unless it runs. */
  startDaemonAgain(): Promise<void>;
  /** The browser has a session of the tenant `acme` from here on, as by the sign-in page. */
  signIn(): Promise<void>;
  close(): Promise<void>;
}

export interface OpenConsoleOptions {
  /** Of the daemon. */
  env?: Record<string, string>;
  /** Of the tenant API. */
  apiEnv?: Record<string, string>;
  hash?: string;
  /** Signs in with the key of the tenant `acme` first. */
  hasSession?: boolean;
}

export async function openConsole({
  env = {},
  apiEnv = {},
  hash = '/',
  hasSession = false,
}: OpenConsoleOptions = {}): Promise<OpenedConsole> {
  const api = await startApi({ env: apiEnv });
  const start = async (port: string) => {
    const daemon = await startDaemon({
      database: api.database,
      env: { SVC_API_URL: api.url, SVCD_CONSOLE_DIR: BUILT, SVCD_HTTP_PORT: port, ...env },
    });
    // Until its first look at the evidence is over it answers 503, which the page shows and the browser logs.
    await vi.waitFor(async () => expect((await fetch(`${daemon.url}/readyz`)).status).toBe(200), READY);
    return daemon;
  };
  let daemon: TestDaemon | undefined = await start('0');
  const { url } = daemon;
  const stopDaemon = async () => {
    await daemon?.close();
    daemon = undefined;
  };
  const browser = await startBrowser();
  const context = await browser.newContext({ viewport: VIEWPORT, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const faults = watchPage(page, url);
  const visit = async (to: string, on: Page = page) => {
    await on.goto(`${url}/console#${to}`);
    await on.locator('h1').first().waitFor();
  };
  if (hasSession) await signInByKey(page, url, api);
  await visit(hash);
  return {
    ...{ daemon, api, page, context, faults, visit, stopDaemon },
    startDaemonAgain: async () => void (daemon ??= await start(new URL(url).port)),
    signIn: () => signInByKey(page, url, api),
    newPage: () => context.newPage(),
    close: async () => {
      await browser.close();
      await stopDaemon();
      await api.close();
    },
  };
}

/** As the sign-in page does it; the cookie is the browser's from here on. */
async function signInByKey(page: Page, url: string, { tenant }: TestApi): Promise<void> {
  const { tenantId, apiKey } = tenant;
  const answer = await page.context().request.post(`${url}/console/api/frontdoor/auth/connect`, {
    data: { tenantId, apiKey },
    headers: { origin: url },
  });
  if (!answer.ok()) throw new Error(`signing in: ${answer.status()} ${await answer.text()}`);
}

/** What somebody does on the page, and another program of the tenant meanwhile. */
export function on({ page, daemon, faults }: OpenedConsole, tenant: string) {
  const dialog = (): Locator => page.getByRole('dialog');
  return {
    dialog,
    press: (name: string, within: Locator = page.locator('body')): Promise<void> =>
      within.getByRole('button', { name, exact: true }).click(),
    /** From a field that offers a few. */
    choose: async (label: string, option: string, within: Locator = dialog()): Promise<void> => {
      const field = within.locator('.field', { has: page.getByText(label, { exact: true }) });
      await field.getByRole('button').click();
      await page.getByRole('option', { name: option }).click();
    },
    isSaid: (text: string | RegExp): Promise<void> => page.locator('.toast', { hasText: text }).first().waitFor(),
    /** In light, in dark, and on a page of 320 pixels. */
    isSound: async (): Promise<void> => {
      await expectSound(page, faults);
      await page.setViewportSize({ width: 320, height: 800 });
      const width = await page.locator('html').evaluate(({ scrollWidth }) => scrollWidth);
      expect(width).toBeLessThanOrEqual(320);
      await page.setViewportSize(VIEWPORT);
    },
    /** Straight to the daemon. */
    ask: async (method: string, path: string, body?: object): Promise<any> => {
      const call = daemon.as({ tenant, scopes: `${ALL_SCOPES} passport:read`, passport: 'asker' });
      const { status, body: answer } = await call(method, path, body);
      expect([method, path, status < 300, answer.detail]).toEqual([method, path, true, undefined]);
      return answer;
    },
  };
}
