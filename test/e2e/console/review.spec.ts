import { afterAll, beforeAll, expect, test } from 'vitest';
import { TenantsStore } from '../../../src/common/keys/tenants.store.js';
import { caller, send } from '../../kit/app.js';
import { openConsole, type OpenedConsole } from './given.js';

const TIMEOUT_MS = 120_000;
const TEXT = 'I prefer dark mode. I work at Hafenwerk. I live in Bremen.';

let opened: OpenedConsole;

beforeAll(async () => {
  opened = await openConsole({
    env: { SVCD_AUTO_CAPTURE: '1', SVCD_FEATURE_PASSPORT_MINT_REQUESTS: '1' },
    apiEnv: { SVC_BOOTSTRAP_TENANT_ID: 'acme' },
  });
  const { daemon } = opened;
  const extracted = await daemon.call('POST', '/v1/memory/extract', { text: TEXT, profile: 'profile' });
  expect(extracted.body).toMatchObject({ written: expect.any(Number) });
  const asked = await daemon.call('POST', '/v1/passport/mint-requests', {
    passport_id: 'agent-of-review',
    by_passport: 'asker',
    why: 'reviews patches',
  });
  expect(asked.status).toBeLessThan(300);
}, TIMEOUT_MS);

afterAll(() => opened.close());

test(
  'a rejection asks for the reason and keeps it',
  async () => {
    const { page, daemon, visit } = opened;
    await visit('/review');
    await page.getByRole('list', { name: 'Evidence' }).waitFor();
    await page.keyboard.press('r');
    await page.getByLabel('Reason').fill('not so');
    await page.keyboard.press('Enter');
    await page.getByText(/^Rejected: /).waitFor();
    const rejected = await daemon.call('GET', '/v1/memory/candidates?status=rejected');
    expect(rejected.body.candidates.map(({ reason }: { reason: string }) => reason)).toContain('not so');
  },
  TIMEOUT_MS,
);

test(
  'the address follows the item that has the focus, on a screen that stays',
  async () => {
    const { page, visit } = opened;
    await visit('/facts');
    await visit('/review');
    const rows = page.getByRole('grid', { name: 'What waits' }).locator('.table-row');
    await rows.first().focus();
    await expect.poll(() => page.url()).toContain('#/review/');
    const first = page.url();
    await page.locator('h1').evaluate((heading) => (heading.dataset['seen'] = 'before'));
    await page.keyboard.press('j');
    await expect.poll(() => page.url()).not.toBe(first);
    expect(await page.locator('h1').getAttribute('data-seen')).toBe('before');
    const title = await rows.nth(1).locator('[role="gridcell"]').nth(2).innerText();
    await page.reload();
    await page.locator('.table-row[aria-selected="true"]', { hasText: title }).waitFor();
  },
  TIMEOUT_MS,
);

test(
  'who asked for a passport does not approve it: it comes back with the reason',
  async () => {
    const { page, visit, daemon } = opened;
    const { body } = await daemon.call('GET', '/v1/passport/mint-requests?status=pending');
    await visit(`/review/mint_request/${body.mint_requests[0].mint_request_id}`);
    await page.getByText('reviews patches').waitFor();
    await page.getByLabel('Act by passport').fill('asker');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.locator('.toast.bad').waitFor();
    await page.locator('.table-row[aria-selected="true"]', { hasText: 'agent-of-review' }).waitFor();
  },
  TIMEOUT_MS,
);

test(
  'an approval comes by itself, and is signed off as it is shown where the policy of the tenant asks for that',
  async () => {
    const { page, visit, api, signIn } = opened;
    const { key } = await TenantsStore.using({ ownerUrl: api.database.url }, (store) => store.createKey('acme'));
    const asker = caller(api.url, 'acme', key.apiKey);
    const requireUiIntegrity = (on: boolean) =>
      api.tenant.call('PUT', '/v1/shield/policy', { requireUiIntegrity: on, reason: 'what people sign off' });
    expect((await requireUiIntegrity(true)).status).toBe(200);
    await signIn();
    await page.goto('about:blank');
    await visit('/review');
    await page.locator('.live', { hasText: /^Live$/ }).waitFor();
    const refused = await asker('POST', '/v1/economy/tip-platform', { credits: 150 });
    const { approvalRequestId } = refused.body;
    const row = page.locator('.table-row', { hasText: 'tip-platform' });
    await row.click();
    await page.getByText(`Approval request ${approvalRequestId}`).waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByLabel('Reason').fill('a good year');
    await page.keyboard.press('Enter');
    await page.getByText(/^Approved: /).waitFor();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    const { body } = await api.tenant.call('GET', `/v1/shield/approvals/${approvalRequestId}`);
    expect(body).toMatchObject({ status: 'approved', uiIntegritySessionId: expect.any(String) });
    expect((await requireUiIntegrity(false)).status).toBe(200);
  },
  TIMEOUT_MS,
);

test(
  'a request for access that is taken up stays the one that keys decide on',
  async () => {
    const { page, visit, api, signIn } = opened;
    for (const requesterName of ['Ada Lovelace', 'Grace Hopper']) {
      const requesterEmail = 'somebody@example.org';
      const asked = await send(api.url, 'POST', '/frontdoor/access-requests', {
        ...{ audience: 'human', requesterEmail, requesterName },
      });
      expect(asked.status).toBe(202);
    }
    const states = async () => {
      const { body } = await api.tenant.call('GET', '/v1/org/access-requests');
      return body.accessRequests.map(({ requesterName, status }: any) => [requesterName, status]).sort();
    };
    await signIn();
    await page.goto('about:blank');
    await visit('/review');
    const row = page.locator('.table-row', { hasText: 'Ada Lovelace' });
    await row.focus();
    await page.getByText('somebody@example.org').waitFor();
    await page.keyboard.press('a');
    await page.getByText('Taken up: Ada Lovelace. Decide on it now.').waitFor();
    await page.getByText('approved, rejected, spam').waitFor();
    expect(await row.getAttribute('aria-selected')).toBe('true');
    expect(await row.evaluate((one: any) => one === one.ownerDocument.activeElement)).toBe(true);
    await page.keyboard.press('a');
    await page.getByText('approved: Ada Lovelace').waitFor();
    expect(await states()).toEqual([
      ['Ada Lovelace', 'approved'],
      ['Grace Hopper', 'submitted'],
    ]);
  },
  TIMEOUT_MS,
);
