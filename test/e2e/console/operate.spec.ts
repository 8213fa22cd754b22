import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ALL_FLAGS_ON } from '../../kit/daemon-contract.js';
import { FakeGithub } from '../../medium/integrations/fake-github.js';
import { on, openConsole, type OpenedConsole } from './given.js';

const TOKEN = 'ghp_octocatoctocatoctocat';
const TIMEOUT_MS = 120_000;
const PRICES = { currency: 'USD', prices: [{ model: 'gpt-5-mini', input_per_million: '0.25' }] };
const github = new FakeGithub();
const folder = mkdtempSync(join(tmpdir(), 'svc-operate-'));

let opened: OpenedConsole;
let acts: ReturnType<typeof on>;
beforeAll(async () => {
  const prices = join(folder, 'prices.json');
  writeFileSync(prices, JSON.stringify(PRICES));
  github.accounts.set(TOKEN, { id: 583231, login: 'octocat', scopes: 'repo' });
  opened = await openConsole({
    hasSession: true,
    env: { ...ALL_FLAGS_ON, SVCD_PRICES_FILE: prices, SVCD_GITHUB_API_URL: `${await github.start()}/` },
  });
  acts = on(opened, 'acme');
}, TIMEOUT_MS);
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await opened.close();
  await github.stop();
});
beforeEach(() => {
  opened.faults.errors.length = 0;
});

it('places a legal hold and releases it', async () => {
  const { page, visit } = opened;
  await visit('/holds');
  await acts.press('Place a hold');
  await acts.dialog().getByLabel('Reason').fill('Matter 7');
  await acts.dialog().getByLabel('Prefixes of entities').fill('order:');
  await acts.press('Place the hold', acts.dialog());
  await page.getByRole('heading', { name: 'Matter 7' }).waitFor();
  await acts.isSound();
  await acts.press('Release');
  await acts.press('Release', acts.dialog());
  await acts.isSaid('The hold is released.');
  const { holds } = await acts.ask('GET', '/v1/legal-holds?tenant_id=acme');
  expect(holds.map(({ reason, status }: any) => [reason, status])).toContainEqual(['Matter 7', 'released']);
});

it('opens an incident, notes, exports and closes it', async () => {
  const { page, visit } = opened;
  await visit('/incidents');
  await acts.press('Open an incident');
  await acts.dialog().getByLabel('What happened').fill('Poisoned page');
  await acts.choose('Severity', 'high');
  await acts.dialog().getByLabel('From').fill('2026-01-31T12:00');
  await acts.dialog().getByLabel('Entities').fill('page:7');
  await acts.press('Open it', acts.dialog());
  await page.getByRole('heading', { name: 'Poisoned page' }).waitFor();
  await page.getByText('Not walked yet').waitFor();
  await acts.press('Add a note');
  await acts.dialog().getByLabel('Note').fill('Found by a reader');
  await acts.press('Add it', acts.dialog());
  await page.getByText('Found by a reader').waitFor();
  const download = page.waitForEvent('download');
  await acts.press('Export');
  const file = JSON.parse(await readFile(await (await download).path(), 'utf8'));
  expect((await acts.ask('POST', '/v1/audit/bundle/verify', file)).ok).toBe(true);
  await acts.choose('Move to', 'closed', page.locator('main'));
  await acts.isSaid('The incident is closed.');
  const { cases } = await acts.ask('GET', '/v1/incidents?tenant_id=acme');
  expect(cases[0]).toMatchObject({
    ...{ title: 'Poisoned page', severity: 'high', status: 'closed', entities: ['page:7'] },
    notes: 'Found by a reader',
  });
  await acts.isSound();
});

it('finds what rests on a fact, sets it aside, holds it and brings it back', async () => {
  const { page, visit } = opened;
  const { fact_id } = await acts.ask('PUT', '/v1/facts', { entity: 'page:8', key: 'says', value: 'poison' });
  const { case: opening } = await acts.ask('POST', '/v1/incidents', {
    ...{ tenant_id: 'acme', title: 'Again', window: { from: '2026-01-31T12:00:00Z' }, entities: ['page:8'] },
  });
  const isFound = async () => (await acts.ask('GET', '/v1/facts?entity=page:8')).facts.length;
  await visit(`/incidents/${opening.incident_id}`);
  await acts.press('Find what rests on something');
  await acts.choose('Begins at', 'Fact');
  await acts.dialog().getByLabel('Which').fill(fact_id);
  await acts.press('Find it', acts.dialog());
  await page.getByRole('grid', { name: 'What rests on it' }).getByText(fact_id).waitFor();
  await acts.press('Set it aside');
  await acts.press('Set it aside', acts.dialog());
  await acts.press('Bring it back');
  expect(await isFound()).toBe(0);
  await acts.press('Bring it back', acts.dialog());
  await acts.isSaid('It is found again.');
  expect(await isFound()).toBe(1);
  await acts.press('Hold what it is about');
  await acts.press('Place the hold', acts.dialog());
  await acts.isSaid('The hold is placed.');
  await acts.isSound();
});

it('connects an account of GitHub, checks its token and disconnects it', async () => {
  const { page, visit } = opened;
  await visit('/integrations');
  await acts.press('Connect GitHub');
  await acts.dialog().getByLabel('Token').fill(TOKEN);
  await acts.press('Connect', acts.dialog());
  await page.getByText(/^[0-9a-f]{64}$/).waitFor();
  await acts.press('I have it', acts.dialog());
  await page.getByText('github: octocat').click();
  await acts.press('Check the token', acts.dialog());
  await acts.isSaid('GitHub takes the token of octocat.');
  await acts.isSound();
  await page.getByText('github: octocat').click();
  await acts.press('Disconnect', acts.dialog());
  await acts.press('Disconnect', acts.dialog());
  await page.getByText('No integrations').waitFor();
  expect((await acts.ask('GET', '/v1/integrations')).integrations).toEqual([]);
});

it('installs a package with its layers into the chosen project, having said what that does', async () => {
  const { page, visit } = opened;
  await acts.ask('POST', '/v1/projects', { id: 'skerry', name: 'Skerry', default_passport_id: 'ada' });
  const { packages } = await acts.ask('GET', '/v1/studio/library');
  const { title, layers } = packages.find(({ id }: any) => id === 'onboarding');
  await visit('/studio');
  await acts.press('Install', page.getByRole('region', { name: title }));
  await acts.choose('Project of its layers', 'Skerry');
  await acts.dialog().getByText(`layer ${layers[0]}: new`).waitFor();
  await acts.press('Install', acts.dialog());
  await acts.isSaid(`${title} is installed`);
  await page.getByText('in skerry').waitFor();
  await acts.isSound();
});

it('shows usage by day as bars and as a table', async () => {
  const { page, visit } = opened;
  const time = new Date().toISOString();
  const data = { model: 'gpt-5-mini', tokens_in: 1200, tokens_out: 300 };
  await acts.ask('POST', '/v1/cost/report', { events: [{ id: 'call-1', time, data }] });
  await visit('/usage');
  await page.getByText('gpt-5-mini').waitFor();
  const bars = page.locator('.chart').first().locator('rect.series-0');
  await expect.poll(() => bars.count()).toBe(30);
  await page.getByText('Cost by day, USD', { exact: true }).waitFor();
  await page.getByText('Tokens by day as a table').click();
  await page.getByRole('row', { name: `${time.slice(0, 10)} 1,200 300` }).waitFor();
  await acts.choose('Period', '7 days', page.locator('main'));
  await expect.poll(() => bars.count()).toBe(7);
  await acts.isSound();
});

it('lists engrams, shows one with its versions and sets a label', async () => {
  const { page, visit } = opened;
  const payload = { description: 'When to greet.', content: 'Say hello.' };
  await acts.ask('PUT', '/v1/entities/engram/greet', { payload });
  await acts.ask('PUT', '/v1/entities/engram/greet', { payload: { ...payload, content: 'Say good morning.' } });
  await visit('/engrams');
  await page.getByText('When to greet.').click();
  await page.getByText('Say good morning.').first().waitFor();
  await acts.press('Set a label');
  await acts.dialog().getByLabel('Label').fill('production');
  await acts.dialog().getByLabel('Version').fill('1');
  await acts.press('Set it', acts.dialog());
  await acts.isSaid('production is version 1 of greet.');
  await acts.press('Remove the label production');
  await acts.isSaid('greet has no label production any more.');
  await acts.isSound();
});

it('writes an engram, and a new version of it that keeps what the form does not show', async () => {
  const { page, visit } = opened;
  await visit('/engrams');
  await acts.press('Write an engram');
  await acts.dialog().getByLabel('Name').fill('Keep Watch');
  await acts.dialog().getByLabel('What it says').fill('Look at the lamp at dusk.');
  await acts.dialog().getByLabel('Description').fill('Keeping a lighthouse.');
  await acts.choose('Models from', 'large');
  await acts.press('Store', acts.dialog());
  await acts.dialog().getByText('is no name of an engram').waitFor();
  // By this refusal, which the browser logs.
  opened.faults.errors.length = 0;
  await acts.dialog().getByLabel('Name').fill('keep-watch');
  await acts.press('Store', acts.dialog());
  await acts.isSaid('Stored version 1 of keep-watch.');
  await page.getByRole('heading', { level: 1, name: 'keep-watch' }).waitFor();
  const policy_hash = `blake3:${'0'.repeat(64)}`;
  const { entity } = await acts.ask('GET', '/v1/entities/engram/keep-watch');
  await acts.ask('PUT', '/v1/entities/engram/keep-watch', { payload: { ...entity.payload, policy_hash } });
  await page.getByRole('region', { name: 'Versions' }).getByText('Version 2').waitFor();
  await acts.press('New version');
  await acts.dialog().getByLabel('What it says').fill('Look at the lamp at dusk and at dawn.');
  await acts.dialog().locator('ins', { hasText: 'dawn' }).first().waitFor();
  await acts.dialog().getByText('Given out to agents').click();
  await acts.isSound();
  await acts.press('Store', acts.dialog());
  await acts.isSaid('Stored version 3 of keep-watch.');
  await page.getByText('switched off').waitFor();
  await visit('/engrams');
  await acts.press('Write an engram');
  await acts.dialog().getByLabel('Name').fill('keep-watch');
  await acts.dialog().getByLabel('What it says').fill('Sleep.');
  await acts.press('Store', acts.dialog());
  await acts.dialog().getByText('keep-watch is there already.').waitFor();
  expect((await acts.ask('GET', '/v1/entities/engram/keep-watch')).entity.payload).toMatchObject({
    ...{ content: 'Look at the lamp at dusk and at dawn.', description: 'Keeping a lighthouse.', enabled: false },
    ...{ capability_class_min: 'large', policy_hash },
  });
});

it('lists cases, shows one and deletes it', async () => {
  const { page, visit } = opened;
  await acts.ask('POST', '/v1/cases', {
    task: 'Deploy the shop',
    action: 'Ran deploy.sh',
    outcome: 'Live',
    lesson: 'Wait',
  });
  await visit('/cases');
  await page.getByText('Deploy the shop').click();
  await page.getByText('Ran deploy.sh').waitFor();
  await acts.isSound();
  await acts.press('Delete');
  await acts.press('Delete', acts.dialog());
  await page.getByText('No cases').waitFor();
  await acts.isSound();
});

it('stores a fact and a new version of it', async () => {
  const { page, visit } = opened;
  await visit('/facts');
  await acts.press('Store a fact');
  await acts.dialog().getByLabel('Entity').fill('order:16');
  await acts.dialog().getByLabel('Key').fill('state');
  await acts.dialog().getByLabel('Value').fill('paid');
  await acts.press('Store', acts.dialog());
  await page.getByRole('heading', { name: 'order:16 state' }).waitFor();
  await acts.press('New version');
  await acts.dialog().getByLabel('Value').fill('sent');
  await acts.press('Store', acts.dialog());
  await acts.isSaid('Stored version 2 of order:16 state.');
  await page.getByText('Version 2, shown').waitFor();
  await acts.isSound();
});

it('retires a fact, and asks for nothing that is gone', async () => {
  const { page, visit } = opened;
  const { fact_id } = await acts.ask('PUT', '/v1/facts', { entity: 'order:17', key: 'state', value: 'refunded' });
  await visit(`/facts/${fact_id}`);
  await acts.press('Retire');
  await acts.press('Retire', acts.dialog());
  await page.getByRole('heading', { name: 'Facts', exact: true }).waitFor();
  await acts.isSaid('Retired order:17 state.');
  await acts.ask('PUT', '/v1/facts', { entity: 'order:18', key: 'state', value: 'sent' });
  // By this event everything that is shown of facts is asked for again.
  await page.getByText('order:18').waitFor();
  await acts.isSound();
});
