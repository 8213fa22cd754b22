import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ALL_SCOPES } from '../../kit/daemon.js';
import { claims, hs256, HS256_ENV } from '../../medium/daemon-auth/given.js';
import { quotaWindow } from '../../kit/quota-window.js';
import { openConsole, type OpenedConsole } from './given.js';

const QUOTA = 5;
const DAY = quotaWindow(86_400);
const TYPED = 'built in 1844';

/** The best that browsers call good (https://web.dev/articles/cls). */
const MAX_SHIFT = 0.1;
/** How long one press of a button that may be covered is tried. */
const ONE_TRY_MS = 1_000;
const SLOW = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const typeFact = async (page: Page) => {
  await button(page, 'Store a fact').click();
  await page.getByRole('dialog').getByLabel('Entity').fill('lighthouse:skerryvore');
  await page.getByRole('dialog').getByLabel('Key', { exact: true }).fill('lit');
  await page.getByRole('dialog').getByLabel('Value').fill(TYPED);
};

describe('a console with a session', () => {
  let opened: OpenedConsole;
  beforeAll(async () => {
    opened = await openConsole();
  });
  afterAll(() => opened.close());
  // Whatever the test before left: a daemon that runs, a session, a page that nothing was typed into, a fact.
  beforeEach(async () => {
    const { page, startDaemonAgain, signIn, visit } = opened;
    await startDaemonAgain();
    await signIn();
    await page.goto('about:blank');
    await visit('/facts');
    expect((await store('before')).status).toBe(201);
  });
  const store = (value: string) =>
    opened.daemon.as({ scopes: ALL_SCOPES, tenant: 'acme' })('PUT', '/v1/facts', { entity: 'e', key: 'k', value });

  it('keeps what is typed while the server is away, and is up to date when it is back', async () => {
    const { page, stopDaemon, startDaemonAgain } = opened;
    await page.locator('.table-row', { hasText: 'before' }).waitFor();
    await typeFact(page);
    await stopDaemon();
    await page.locator('.live', { hasText: 'Reconnecting' }).waitFor();
    await button(page, 'Store').click();
    await page.getByRole('dialog').getByText('The server does not answer').first().waitFor();
    await startDaemonAgain();
    expect((await store('meanwhile')).status).toBe(201);
    await page.locator('.live', { hasText: /^Live$/ }).waitFor();
    await page.locator('.table-row', { hasText: 'meanwhile' }).waitFor();
    expect(await page.getByRole('dialog').getByLabel('Value').inputValue()).toBe(TYPED);
  });

  it('asks to sign in again where the session was ended elsewhere, with what was typed as it was', async () => {
    const { page, api, context, visit } = opened;
    await page.locator('.table-row').first().waitFor();
    await typeFact(page);
    const [cookie] = (await context.cookies()).filter(({ name }) => name.includes('session'));
    const ended = await fetch(`${api.url}/frontdoor/auth/logout`, {
      ...{ method: 'POST', headers: { cookie: `${cookie!.name}=${cookie!.value}`, origin: api.url } },
    });
    expect(ended.status).toBeLessThan(300);
    const again = page.getByRole('dialog', { name: 'Sign in again' });
    // Any request of the page may be the first that is refused: then the dialog is there, and covers the form.
    while (!(await again.isVisible()))
      await button(page, 'Store')
        .click({ timeout: ONE_TRY_MS })
        .catch(() => undefined);
    await again.getByText('What you typed is kept.').waitFor();
    await again.getByLabel('Tenant').fill(api.tenant.tenantId);
    await again.getByLabel('API key').fill(api.tenant.apiKey);
    await again.getByRole('button', { name: 'Sign in', exact: true }).click();
    await again.waitFor({ state: 'detached' });
    expect(await page.getByRole('dialog').getByLabel('Value').inputValue()).toBe(TYPED);
    await button(page, 'Store').click();
    await page.getByText('Stored version 1 of lighthouse:skerryvore lit.').waitFor();
    expect((await store('after')).status).toBe(201);
    await visit('/facts');
    await page.locator('.table-row', { hasText: 'after' }).waitFor();
  });

  it('says over a slow connection that it is loading, and moves nothing when it has loaded', async () => {
    const { newPage, visit, context } = opened;
    const page = await newPage();
    const network = await context.newCDPSession(page);
    await network.send('Network.enable');
    await network.send('Network.emulateNetworkConditions', SLOW);
    const visited = visit('/facts', page);
    await page.locator('.loading').first().waitFor();
    await visited;
    await page.locator('.table-row').first().waitFor();
    const shift = await page.locator('html').evaluate(
      (html: any) =>
        new Promise<number>((resolve) => {
          // As CLS is measured: what follows a press of a key or button is expected to move.
          const { PerformanceObserver } = html.ownerDocument.defaultView;
          let sum = 0;
          new PerformanceObserver((list: any) => {
            for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) sum += value;
          }).observe({ type: 'layout-shift', buffered: true });
          setTimeout(() => resolve(sum), 500);
        }),
    );
    expect(shift).toBeLessThanOrEqual(MAX_SHIFT);
    await page.close();
  });
});

describe('a console with a token', () => {
  let opened: OpenedConsole;
  beforeAll(async () => {
    opened = await openConsole({
      env: { ...HS256_ENV, SVCD_QUOTA: '1', SVCD_QUOTA_HOSTED_SURFACES: `work:${QUOTA}/${DAY}`, SVCD_PUNCHCARD: 'off' },
    });
  });
  afterAll(() => opened.close());

  const signIn = async (scope: string, passport_id: string) => {
    const { page, visit } = opened;
    await page.goto('about:blank');
    await visit('/');
    await page.getByLabel('Token').fill(await hs256(claims({ scope, passport_id, tenant_id: 'acme' })));
    await button(page, 'Use this token').click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  };
  const goTo = (screen: string) =>
    opened.page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: screen }).click();

  it('says which scope a screen needs', async () => {
    const { page } = opened;
    await signIn('sessions:read', 'reader');
    await goTo('Facts');
    const refusal = page.getByRole('alert').filter({ hasText: 'This sign-in may not see this' }).first();
    await refusal.getByText('query:read').first().waitFor();
  });

  it('says that a sign-in may not follow events, and asks no more', async () => {
    const { page } = opened;
    await signIn('sessions:read', 'reader');
    await page.getByText('Not live for this sign-in').waitFor();
    const askedAgain = page.waitForRequest(/events\/stream/, { timeout: 3_000 });
    await expect(askedAgain).rejects.toThrow('Timeout');
  });

  it('says when to ask again where a quota is used up', async () => {
    const { page, daemon } = opened;
    await signIn(ALL_SCOPES, 'busy');
    const bearer = await hs256(claims({ scope: ALL_SCOPES, passport_id: 'busy', tenant_id: 'acme' }));
    for (let n = 0; n < QUOTA; n += 1) await daemon.as({ bearer })('GET', '/v1/work');
    await goTo('Work');
    const refusal = page.getByRole('alert').filter({ hasText: 'The server asks to wait' }).first();
    await refusal.getByText(/It can be asked again in \d+ hr/).waitFor();
  });

  it('says which setting switches a screen on', async () => {
    const { page } = opened;
    await signIn(ALL_SCOPES, 'busy');
    await goTo('Leases');
    await page.getByText('SVCD_PUNCHCARD=').waitFor();
  });
});
