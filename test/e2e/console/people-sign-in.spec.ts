import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../../kit/app.js';
import { freePort } from '../../kit/free-port.js';
import { PeopleProvider } from '../../medium/frontdoor/people-provider.js';
import { openConsole, type OpenedConsole } from './given.js';

const CLIENT = { clientId: 'svc', secret: 'a secret of the client' };

let provider: PeopleProvider;
let opened: OpenedConsole;
beforeAll(async () => {
  const port = await freePort();
  const redirectUri = `http://127.0.0.1:${port}/console`;
  provider = await PeopleProvider.start(
    { ...CLIENT, redirectUri },
    {
      ada: { email: 'ada@example.org', email_verified: true },
      eve: { email: 'eve@example.org', email_verified: true },
    },
  );
  const env = {
    ...{ SVC_OIDC_ISSUER: provider.issuer, SVC_OIDC_CLIENT_ID: CLIENT.clientId, SVC_OIDC_TENANTS: 'acme' },
    ...{ SVC_CONSOLE_URL: redirectUri, SVCD_MCP_PUBLIC_URL: 'http://127.0.0.1:14801' },
  };
  opened = await openConsole({
    env: { ...env, SVCD_HTTP_PORT: String(port), SVCD_AUTH_MODE: 'jwt_hs256', SVCD_JWT_HS256_SECRET: 's'.repeat(32) },
    apiEnv: { ...env, SVC_OIDC_CLIENT_SECRET: CLIENT.secret },
  });
  const { tenant, url } = opened.api;
  const { body } = await tenant.call('POST', '/v1/org/invite', { email: 'ada@example.org', role: 'admin' });
  await send(url, 'POST', '/v1/org/accept-invite', { token: body.inviteToken });
});
afterAll(async () => {
  await opened.close();
  await provider.close();
});

async function signIn(page: Page, name: string): Promise<void> {
  await page.getByLabel('Tenant of your seat').fill('acme');
  await page.getByRole('button', { name: `Sign in to your seat with ${new URL(provider.issuer).host}` }).click();
  await page.locator('input[name="login"]').fill(name);
  await page.locator('input[name="password"]').fill('anything');
  await page.locator('button[type="submit"]').click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

describe('signing in with a seat at the identity provider', () => {
  it('is refused without a seat, with the reason', async () => {
    const { newPage, visit } = opened;
    const page = await newPage();
    await visit('/facts', page);
    await signIn(page, 'eve');
    await page.getByText('There is no active seat with this e-mail address here').waitFor();
    expect(page.url()).not.toContain('code=');
    await page.context().clearCookies();
    await page.close();
  });

  it('comes back to the screen that was asked for, with the session of the seat', async () => {
    const { page, visit, daemon } = opened;
    await visit('/facts');
    await signIn(page, 'ada');
    await page.getByRole('heading', { level: 1, name: 'Facts' }).waitFor();
    await page.getByRole('button', { name: 'Account: ada@example.org' }).waitFor();
    const [cookie] = (await page.context().cookies(daemon.url)).filter(({ name }) => name === 'svc_session');
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
    const kept = String(await page.evaluate('JSON.stringify([localStorage, sessionStorage, location.href])'));
    expect([kept.includes('code='), kept.includes('sealed:')]).toEqual([false, false]);
  });

  it('goes on when the page is loaded again', async () => {
    const { page } = opened;
    await page.reload();
    await page.getByRole('button', { name: 'Account: ada@example.org' }).waitFor();
  });
});
