import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../kit/free-port.js';
import { AUDIENCE, IdentityProvider } from '../../medium/daemon-auth/identity-provider.js';
import { openConsole, type OpenedConsole } from './given.js';

const CLIENT = 'console';
const TYPED = 'built in 1844';

let provider: IdentityProvider;
let opened: OpenedConsole;
beforeAll(async () => {
  const port = await freePort();
  provider = await IdentityProvider.start(
    { [CLIENT]: { tenant_id: 'acme' } },
    { [CLIENT]: `http://127.0.0.1:${port}/console` },
  );
  opened = await openConsole({
    env: {
      ...{ SVCD_HTTP_PORT: String(port), SVCD_AUTH_MODE: 'jwt_jwks', SVCD_JWT_AUD: AUDIENCE },
      ...{ SVCD_JWT_OIDC_DISCOVERY_URL: provider.issuer, SVCD_CONSOLE_OIDC_CLIENT_ID: CLIENT },
      SVCD_CONSOLE_OIDC_SCOPE: 'openid query:read facts:read facts:write receipts:read admin:read',
    },
  });
});
afterAll(async () => {
  await opened.close();
  await provider.goDown();
});

/** At the provider's own pages: who somebody is, and that the console may act for them. */
async function signIn(page: Page): Promise<void> {
  await page.getByRole('button', { name: `Sign in to the daemon with ${new URL(provider.issuer).host}` }).click();
  await page.locator('input[name="login"]').fill('ada');
  await page.locator('input[name="password"]').fill('anything');
  await page.locator('button[type="submit"]').click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

/** All that the page keeps anywhere but in its memory. */
const keptBy = async (page: Page): Promise<string> => {
  const stored = await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])');
  return `${String(stored)} ${JSON.stringify(await page.context().cookies(page.url()))}`;
};

describe('signing in at an identity provider', () => {
  it('comes back to the screen that was asked for, with a token in memory alone', async () => {
    const { page, visit, daemon } = opened;
    await visit('/facts');
    await signIn(page);
    await page.getByRole('heading', { level: 1, name: 'Facts' }).waitFor();
    await page.getByText('No facts yet').waitFor();
    const asked = page.waitForRequest(`${daemon.url}/v1/**`);
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Receipts' }).click();
    const token = (await (await asked).headerValue('authorization'))!.replace('Bearer ', '');
    expect(token.split('.')).toHaveLength(3);
    const kept = await keptBy(page);
    expect([kept.includes(token), kept.includes('code='), kept.includes('verifier')]).toEqual([false, false, false]);
  });

  it('keeps what was typed where it ends, over the way to the provider and back, until it is taken', async () => {
    const { page, daemon, stopDaemon, startDaemonAgain } = opened;
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Facts' }).click();
    await page.getByRole('button', { name: 'Store a fact' }).click();
    const form = page.getByRole('dialog', { name: 'Store a fact' });
    await form.getByLabel('Entity').fill('lighthouse:skerryvore');
    await form.getByLabel('Value').fill(TYPED);
    // No token of before is one any more, to a daemon that has not seen their key.
    await provider.rotate({ keepsOld: false });
    await stopDaemon();
    await startDaemonAgain();
    await page.getByRole('dialog', { name: 'Sign in again' }).getByText('What you typed is kept.').waitFor();
    await signIn(page);
    await page.getByRole('heading', { level: 1, name: 'Facts' }).waitFor();
    await page.locator('.toast', { hasText: 'What you typed is kept' }).waitFor();
    expect(await keptBy(page)).not.toContain(TYPED);
    await page.getByRole('button', { name: 'Store a fact' }).click();
    expect(await form.getByLabel('Value').inputValue()).toBe(TYPED);
    await form.getByLabel('Key', { exact: true }).fill('built');
    const stored = page.waitForResponse(`${daemon.url}/v1/facts`);
    await form.getByRole('button', { name: 'Store', exact: true }).click();
    expect((await stored).status()).toBe(201);
  });

  it('ends with signing out, here and at the provider, whose page gets no token that opens anything', async () => {
    const { page } = opened;
    const ending = page.waitForRequest(`${provider.issuer}/session/end?**`);
    await page.getByRole('button', { name: 'Account: ada' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    const asked = new URL((await ending).url()).searchParams;
    expect([...asked.keys()]).toEqual(['client_id', 'id_token_hint', 'post_logout_redirect_uri']);
    const answer = await fetch(`${opened.daemon.url}/v1/facts/list`, {
      headers: { authorization: `Bearer ${asked.get('id_token_hint')}` },
    });
    expect(answer.status).toBe(401);
    // The provider's own page, which asks whether one means it.
    await page.getByRole('button', { name: 'Yes, sign me out' }).click();
    await page.getByRole('heading', { name: 'With your organization' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: `Sign in to the daemon with ${new URL(provider.issuer).host}` }).click();
    // It knows nobody any more.
    await page.locator('input[name="login"]').waitFor();
    await opened.visit('/');
    await page.getByRole('heading', { name: 'With your organization' }).waitFor();
  });

  it('is refused where the token is for another audience', async () => {
    const { page, context } = opened;
    await context.clearCookies();
    provider.audience = 'urn:another:server';
    await page.reload();
    await signIn(page);
    const refusal = page.getByRole('dialog', { name: 'Sign in again' });
    await refusal.getByText('The server does not accept this sign-in.').waitFor();
    provider.audience = AUDIENCE;
  });

  it('puts no token into the address where the daemon could be one that takes it', async () => {
    const { page, context } = opened;
    await context.clearCookies();
    provider.audience = CLIENT;
    await page.reload();
    await signIn(page);
    const ending = page.waitForRequest(`${provider.issuer}/session/end?**`);
    await page.getByRole('dialog', { name: 'Sign in again' }).getByRole('button', { name: 'Leave' }).click();
    const asked = new URL((await ending).url()).searchParams;
    expect([...asked.keys()]).toEqual(['client_id', 'post_logout_redirect_uri']);
    provider.audience = AUDIENCE;
  });
});
