import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { makePeer } from '../../kit/peer.js';
import { Replica } from '../../medium/sync/given.js';
import { on, openConsole, type OpenedConsole } from './given.js';

const TIMEOUT_MS = 120_000;
const ENV = { SVCD_FEATURE_PASSPORT_MINT_REQUESTS: '1', SVCD_CREDIT_METER: '1' };

let opened: OpenedConsole;
let acts: ReturnType<typeof on>;
beforeAll(async () => {
  opened = await openConsole({ hasSession: true, env: ENV });
  acts = on(opened, 'acme');
}, TIMEOUT_MS);
afterAll(() => opened.close());
beforeEach(() => {
  opened.faults.errors.length = 0;
});

it('invites a seat, changes its role and withdraws the invitation', async () => {
  const { page, visit, api } = opened;
  const seats = async () => {
    const { body } = await api.tenant.call('GET', '/v1/org/seats');
    return body.seats.map(({ userEmail, role, status }: any) => [userEmail, role, status]);
  };
  await visit('/seats');
  await acts.press('Invite somebody');
  await acts.dialog().getByLabel('E-mail').fill('ada@example.org');
  await acts.choose('Role', 'Member');
  await acts.press('Invite', acts.dialog());
  await acts.dialog().getByText('/accept').first().waitFor();
  await acts.press('I have it', acts.dialog());
  await page.getByText('ada@example.org').click();
  await acts.choose('Role', 'Admin');
  await acts.press('Save the role', acts.dialog());
  await acts.isSaid('ada@example.org is admin now.');
  expect(await seats()).toContainEqual(['ada@example.org', 'admin', 'pending']);
  await acts.isSound();
  await page.getByRole('gridcell', { name: 'ada@example.org' }).click();
  await acts.press('Withdraw the invitation', acts.dialog());
  await acts.dialog().getByLabel('Reason').fill('a slip');
  await acts.press('Revoke', acts.dialog());
  await acts.isSaid('The seat of ada@example.org is revoked.');
  expect(await seats()).toContainEqual(['ada@example.org', 'admin', 'revoked']);
});

it('creates an API key, which opens the tenant until it is revoked', async () => {
  const { page, visit, api } = opened;
  await visit('/keys');
  await acts.press('Create a key');
  await acts.dialog().getByLabel('Label').fill('nightly job');
  await acts.press('Create', acts.dialog());
  const key = await acts.dialog().locator('.secret code').innerText();
  const status = async () => {
    const answer = await fetch(`${api.url}/v1/org/seats`, { headers: { 'x-tenant-id': 'acme', 'x-api-key': key } });
    return answer.status;
  };
  expect(await status()).toBe(200);
  await acts.press('I have it', acts.dialog());
  await page.getByText('nightly job').click();
  await acts.press('Revoke', acts.dialog());
  await acts.dialog().getByLabel('Reason').fill('the job is gone');
  await acts.press('Revoke', acts.dialog());
  await acts.isSaid('nightly job is revoked.');
  await expect.poll(status).toBe(401);
  await acts.isSound();
});

it('rotates an API key: another takes its place', async () => {
  const { page, visit, api } = opened;
  await visit('/keys');
  await acts.press('Create a key');
  await acts.dialog().getByLabel('Label').fill('weekly job');
  await acts.press('Create', acts.dialog());
  const old = await acts.dialog().locator('.secret code').innerText();
  await acts.press('I have it', acts.dialog());
  await page.getByText('weekly job').click();
  await acts.press('Rotate', acts.dialog());
  await acts.press('Rotate', acts.dialog());
  await acts.dialog().getByText('It is shown this once.').waitFor();
  expect(await acts.dialog().locator('.secret code').innerText()).not.toBe(old);
  await acts.press('I have it', acts.dialog());
  const { body } = await api.tenant.call('GET', '/v1/org/api-keys');
  const states = body.apiKeys.filter(({ label }: any) => label === 'weekly job').map(({ status }: any) => status);
  expect(states.sort()).toEqual(['active', 'revoked']);
});

it('registers a passport and revokes it, with the reason', async () => {
  const { page, visit } = opened;
  await visit('/passports');
  await acts.press('Register a passport');
  await acts.dialog().getByLabel('Passport').fill('codex:7');
  await acts.dialog().getByLabel('Name').fill('Codex');
  await acts.choose('Kind', 'Service');
  await acts.press('Register', acts.dialog());
  await page.getByRole('heading', { name: 'codex:7' }).waitFor();
  await acts.isSound();
  await acts.press('Revoke');
  await acts.dialog().getByLabel('Reason').fill('replaced');
  await acts.press('Revoke for ever', acts.dialog());
  await acts.isSaid('codex:7 is revoked');
  const { passport } = await acts.ask('GET', '/v1/passports/codex:7');
  expect(passport).toMatchObject({ kind: 'service', display_name: 'Codex', revoke_reason: 'replaced' });
});

it('mints a passport that was asked for', async () => {
  const { page, visit } = opened;
  await acts.ask('POST', '/v1/passport/mint-requests', { passport_id: 'agent-9', why: 'reviews patches' });
  await visit('/passports/list/requests');
  await page.getByText('agent-9').click();
  await acts.press('Approve', acts.dialog());
  await acts.isSaid('The request of agent-9 is approved.');
  await page.getByRole('tab', { name: 'Registered' }).click();
  await page.getByRole('grid', { name: 'Passports' }).getByText('agent-9').first().waitFor();
  expect(page.url()).toContain('#/passports/list/registered');
  await acts.isSound();
});

it('adds a peer and revokes it', async () => {
  const { page, visit } = opened;
  const { publicKey } = makePeer();
  await visit('/peers');
  await acts.press('Add a peer');
  await acts.dialog().getByLabel('Name').fill('laptop');
  await acts.dialog().getByLabel('Public key').fill(publicKey);
  await acts.dialog().getByLabel('Prefixes of entities').fill('project:\nuser:');
  await acts.choose('Direction', 'Pull');
  await acts.dialog().getByText('May write here').click();
  await acts.press('Add it', acts.dialog());
  await acts.isSaid('laptop is a peer.');
  const [added] = (await acts.ask('GET', '/v1/sync/peers')).peers;
  expect(added).toMatchObject({
    ...{ peer_id: 'laptop', public_key: publicKey, direction: 'pull', status: 'active' },
    ...{ scopes: ['facts:read'], entity_prefixes: ['project:', 'user:'] },
  });
  await page.getByRole('gridcell', { name: 'laptop' }).click();
  await acts.press('Revoke', acts.dialog());
  await acts.press('Revoke', acts.dialog());
  await acts.isSaid('laptop is revoked.');
  expect((await acts.ask('GET', '/v1/sync/peers')).peers[0].status).toBe('revoked');
  await acts.isSound();
});

it('chooses one of two versions that do not know of each other', async () => {
  const { page, visit, daemon } = opened;
  const [here, there] = [new Replica(daemon, 'acme'), new Replica(daemon, 'elsewhere')];
  await here.fact('user:ada', 'city', 'London');
  await there.fact('user:ada', 'city', 'Paris');
  await here.pull(there);
  const shown = await here.valueOf('user:ada', 'city');
  const other = shown === 'London' ? 'Paris' : 'London';
  await visit('/peers');
  await page.getByRole('grid', { name: 'Conflicts' }).getByText('user:ada city').click();
  await acts.isSound();
  await acts.press('Choose this', acts.dialog().locator('section', { hasText: other }));
  await acts.isSaid('The version of user:ada city is chosen');
  await page.getByText('No conflicts').waitFor();
  expect(await here.valueOf('user:ada', 'city')).toBe(other);
});

it('shows what an agent may spend, and what it spent by day', async () => {
  const { page, visit } = opened;
  await acts.ask('POST', '/v1/credits/spend', { credits: 25, reference: 'job-42', agent_id: 'researcher' });
  await visit('/usage');
  await page.getByLabel('Agent', { exact: true }).fill('researcher');
  await acts.press('Show');
  await page.getByText('Credits spent by day', { exact: true }).waitFor();
  const spent = page.locator('.details > div', { hasText: 'Spent in the period' });
  expect(await spent.locator('dd').innerText()).toBe('25');
  await page.getByText('Credits spent by day as a table').click();
  await page.getByRole('row', { name: `${new Date().toISOString().slice(0, 10)} 25` }).waitFor();
  await acts.isSound();
});
