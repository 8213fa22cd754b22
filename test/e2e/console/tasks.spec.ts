import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, type DaemonCall } from '../../kit/daemon.js';
import { asSuperuser } from '../../kit/database.js';
import { ingest } from '../../medium/retrieval/given.js';
import { openConsole, type OpenedConsole } from './given.js';

const CANDIDATES = Array.from({ length: 20 }, (_, index) => `To do: paint buoy number ${index + 1}.`);
const BEGAN = '2026-11-23T09:00:00Z';
const SHARDS = { local_shard: 'main', default_shard: 'main' };

let opened: OpenedConsole;
let folder: string;
/** The passport `keeper` of the tenant that is signed in. */
let keeper: DaemonCall;

const writeShards = (text: string) => writeFileSync(join(folder, 'shards.json'), text);
const succeed = async (call: DaemonCall, ...request: Parameters<DaemonCall>) => {
  const answer = await call(...request);
  expect([answer.status < 300, answer.body]).toEqual([true, answer.body]);
  return answer.body;
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-tasks-'));
  writeShards(JSON.stringify(SHARDS));
  opened = await openConsole({
    hasSession: true,
    env: {
      SVCD_AUTO_CAPTURE: '1',
      SVCD_OBSERVE: '1',
      SVCD_FEATURE_LEGAL_HOLD: '1',
      SVCD_SHARD_MAP_FILE: join(folder, 'shards.json'),
    },
  });
  keeper = opened.daemon.as({ scopes: ALL_SCOPES, tenant: 'acme', passport: 'keeper' });
  await succeed(keeper, 'PUT', '/v1/facts', { entity: 'lighthouse:roter_sand', key: 'height', value: '52.5 m' });
  await succeed(keeper, 'POST', '/v1/memory/extract', { text: CANDIDATES.join('\n'), profile: 'tasks' });
  await ingest(opened.api.tenant, [{ docId: 'charter', content: 'The harbour is open to all ships at all times.' }]);
});
afterAll(async () => {
  await opened.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A screen by the navigation, as somebody goes there. */
const goTo = async (page: Page, screen: string) => {
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: screen, exact: true }).click();
  await page.getByRole('heading', { level: 1, name: screen }).waitFor();
};
const row = (page: Page, text: string) => page.locator('.table-row', { hasText: text });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const inDialog = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });

describe('by what is on the page alone, somebody', () => {
  it('finds a fact, and where it comes from, up to the receipt', async () => {
    const { page } = opened;
    await goTo(page, 'Facts');
    await page.getByLabel('Text').fill('52.5');
    await row(page, 'lighthouse:roter_sand').click();
    const provenance = page.getByRole('region', { name: 'Where it comes from' });
    await provenance.getByText('keeper').first().waitFor();
    await provenance.getByRole('link').first().click();
    await page.getByText('Verified in this browser').waitFor();
    await page.getByRole('region', { name: 'Record' }).getByText('keeper').first().waitFor();
  });

  it('approves one of twenty candidates, and takes it back', async () => {
    const { page } = opened;
    const withStatus = async (status: string): Promise<string[]> =>
      (await succeed(keeper, 'GET', `/v1/memory/candidates?status=${status}`)).candidates.map(
        ({ value }: { value: string }) => value,
      );
    await goTo(page, 'Review');
    await row(page, 'paint_buoy_number_7').click();
    await page.getByRole('list', { name: 'Evidence' }).getByText('To do: paint buoy number 7').waitFor();
    expect(await page.locator('.table-row').count()).toBe(20);
    await button(page, 'Approve').click();
    await page.locator('.toast', { hasText: 'Stored: ' }).waitFor();
    expect(await withStatus('promoted')).toEqual(['paint buoy number 7']);
    await expect.poll(() => page.locator('.table-row').count()).toBe(19);
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone: the fact is retired.').waitFor();
    expect(await withStatus('promoted')).toEqual([]);
    const { facts } = await succeed(keeper, 'GET', '/v1/facts/list?entity_prefix=tasks');
    expect(facts).toEqual([]);
  });

  it('invites a person to a seat', async () => {
    const { page } = opened;
    await goTo(page, 'Seats');
    await button(page, 'Invite somebody').click();
    await page.getByLabel('E-mail').fill('grace@example.com');
    await inDialog(page, 'Invite').click();
    await page.getByRole('heading', { name: 'The invitation' }).waitFor();
    expect(await page.getByRole('dialog').locator('code').textContent()).toContain('/frontdoor/accept-invite#token=');
    await inDialog(page, 'I have it').click();
    await row(page, 'grace@example.com').getByText('pending').waitFor();
  });

  it('places a legal hold, and reads why what it keeps is not deleted', async () => {
    const { page } = opened;
    await goTo(page, 'Legal holds');
    await button(page, 'Place a hold').click();
    await page.getByLabel('Reason').fill('Matter 2026-17');
    await page.getByLabel('Prefixes of entities').fill('lighthouse:\ndocument:handbook/');
    await inDialog(page, 'Place the hold').click();
    await page.getByRole('heading', { name: 'Matter 2026-17' }).waitFor();
    await goTo(page, 'Facts');
    await row(page, 'lighthouse:roter_sand').click();
    await button(page, 'Retire').click();
    await inDialog(page, 'Retire').click();
    await page.getByText('A legal hold keeps this fact').waitFor();
    await inDialog(page, 'Cancel').click();
    await goTo(page, 'Documents');
    await row(page, 'charter').click();
    await button(page, 'Delete').click();
    await inDialog(page, 'Delete').click();
    await page.getByRole('dialog').getByRole('alert').getByText(/hold/).first().waitFor();
    await inDialog(page, 'Cancel').click();
    await goTo(page, 'Legal holds');
    await row(page, 'Matter 2026-17').click();
    await page.getByText('2 deletions were refused').waitFor();
  });
});

describe('the work of two agents', () => {
  it('is followed in two tabs without loading them again', async () => {
    const { page, visit, newPage } = opened;
    const agents = ['ada', 'grace'].map((passport) =>
      opened.daemon.as({ scopes: ALL_SCOPES, tenant: 'acme', passport }),
    );
    await visit('/work');
    const other = await newPage();
    await visit('/work', other);
    for (const tab of [page, other]) await tab.getByRole('status').getByText('Live', { exact: true }).waitFor();
    for (const [index, agent] of agents.entries()) {
      const title = `Trim lamp ${index}`;
      const holder = ['ada', 'grace'][index]!;
      const { id } = await succeed(agent, 'POST', '/v1/work', {
        ...{ project_id: 'lamps', title, created_by_passport: holder, state: 'ready' },
      });
      for (const tab of [page, other]) await row(tab, title).waitFor();
      await succeed(agent, 'POST', `/v1/work/${id}/claim`, {});
      for (const tab of [page, other]) await row(tab, title).getByText(holder).waitFor();
    }
    await visit('/sessions/lamps');
    await visit('/sessions/lamps', other);
    for (const [index, agent] of agents.entries()) {
      const label = `Clean lens ${index}`;
      const step = { node_id: `step-${index}`, label, actor: `agent-${index}`, ts_start: BEGAN, private: false };
      await succeed(agent, 'POST', '/v1/observe/sessions/lamps/steps', step);
      for (const tab of [page, other]) await tab.getByTitle(label).first().waitFor();
    }
    await other.close();
  });
});

describe('a daemon that is not ready', () => {
  it('says which gate fails and what mends it, and when it is mended', async () => {
    const { page, visit } = opened;
    await visit('/');
    await page.getByRole('region', { name: 'Readiness' }).getByText('Ready', { exact: true }).waitFor();
    writeShards('{ "local_shard": ');
    const readiness = page.getByRole('region', { name: 'Readiness' });
    await readiness.getByText('Not ready').waitFor();
    await readiness.getByText('is not JSON').waitFor();
    await readiness.getByRole('link', { name: 'All gates' }).click();
    const gate = page.locator('.gates .failing');
    await gate.getByText('Mend the file of SVCD_SHARD_MAP_FILE.').waitFor();
    expect(await gate.locator('code').textContent()).toBe('routing_loaded');
    writeShards(JSON.stringify(SHARDS));
    await page.getByText('All 9 gates hold').waitFor();
  });
});

describe('a receipt', () => {
  it('is verified in the browser, and no longer once a byte of it is another', async () => {
    const { page, daemon, visit } = opened;
    const { receipt_id: id } = await succeed(keeper, 'POST', '/v1/memory/extract', {
      ...{ text: 'To do: paint the pier.', profile: 'tasks' },
    });
    await visit('/receipts');
    await page.locator('.table-row', { hasText: 'memory.extracted' }).first().click();
    await page.getByText('Verified in this browser').waitFor();
    expect(await page.locator('h1 + p').textContent()).toContain(id);
    await asSuperuser(
      daemon.database,
      `set session_replication_role = replica; update receipt
       set cose = set_byte(cose, length(cose) - 1, get_byte(cose, length(cose) - 1) # 1) where receipt_id = '${id}'`,
    );
    await button(page, 'Verify again').click();
    await page.getByText('This receipt does not hold').waitFor();
    await page
      .locator('[data-check="signature"][data-state="failed"]')
      .getByText('does not hold over these bytes')
      .waitFor();
  });
});
