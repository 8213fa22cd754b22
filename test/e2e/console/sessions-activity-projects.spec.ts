import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectSound } from '../../kit/browser.js';
import { openConsole, type OpenedConsole } from './given.js';

const STEPS = '/v1/observe/sessions/run-7/steps';
const BEGAN = '2026-11-23T09:00:00Z';

describe('sessions, activity and projects in the console', () => {
  let opened: OpenedConsole;
  const send = async (method: string, path: string, body: object) => {
    const { status } = await opened.daemon.call(method, path, body);
    expect(status).toBeLessThan(300);
  };

  beforeAll(async () => {
    opened = await openConsole({ env: { SVCD_OBSERVE: '1', SVCD_FEATURE_ACTIVITY_LOG: '1' } });
  });
  afterAll(() => opened.close());

  it('finds a session by its steps, shows them as a tree and over time, and opens a step', async () => {
    const { page, visit, faults } = opened;
    await send('POST', STEPS, { node_id: 'run', label: 'Answer a refund', actor: 'agent:a', ts_start: BEGAN });
    await send('POST', STEPS, { node_id: 'ask', parent_id: 'run', label: 'Draft it', actor: 'm', ts_start: BEGAN });
    await visit('/sessions');
    await page.getByText('run-7').click();
    await page.getByText('Draft it').click();
    await page.getByRole('link', { name: 'Receipt of its opening' }).waitFor();
    expect(page.url()).toContain('#/sessions/run-7/tree/ask');
    await page.locator('.table-row').first().focus();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => page.locator('.table-row').count()).toBe(1);
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.getByText('Over time').waitFor();
    await expectSound(page, faults);
    expect(page.url()).toContain('#/sessions/run-7/timeline/ask');
    await page.reload();
    await page.getByText('Over time').waitFor();
  });

  it('shows steps of others as they are opened', async () => {
    const { page, visit } = opened;
    await visit('/sessions/run-7');
    await page.getByTitle('Draft it').first().waitFor();
    await send('POST', STEPS, { node_id: 'new', parent_id: 'run', label: 'Look again', actor: 'm', ts_start: BEGAN });
    await page.getByTitle('Look again').first().waitFor();
  });

  it.each([
    ['Steps with receipts', 'session-run-7.json'],
    ['OpenTelemetry', 'session-run-7.otlp.json'],
    ['OCSF', 'session-run-7.ocsf.json'],
  ])('saves a session as a file of its name: %s', async (format, name) => {
    const { page, visit } = opened;
    await visit('/sessions/run-7');
    await page.getByRole('tab', { name: 'Export' }).click();
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: format }).click();
    expect((await saved).suggestedFilename()).toBe(name);
  });

  it('shows events as they happen, stands still while paused, and filters what is kept', async () => {
    const { page, visit, faults } = opened;
    await visit('/activity');
    await page.getByRole('button', { name: 'Pause' }).click();
    await send('PUT', '/v1/facts', { entity: 'order:17', key: 'state', value: 'refunded' });
    await page.getByRole('button', { name: 'Resume, 1 new' }).click();
    await page.getByLabel('Kind').fill('fact.*');
    const history = page.getByRole('grid', { name: 'History' });
    await expect.poll(() => history.locator('.table-row').count()).toBe(1);
    await expectSound(page, faults);
  });

  it('shows a project with its links, its layers and a storybook with what it rests on', async () => {
    const { page, visit, faults } = opened;
    await send('POST', '/v1/projects', { id: 'lighthouse', name: 'Lighthouse', default_passport_id: 'ada' });
    await send('PUT', '/v1/projects/lighthouse/layers/style', { content: 'Use tabs.' });
    await visit('/projects');
    await page.getByRole('gridcell', { name: 'Lighthouse', exact: true }).click();
    await page.getByRole('tab', { name: 'Layers' }).click();
    await page.getByText('Use tabs.').first().waitFor();
    await page.getByRole('tab', { name: 'Storybook' }).click();
    await page.getByRole('button', { name: 'Generate' }).click();
    await page.getByText('The project lighthouse is called Lighthouse.').first().waitFor();
    await expectSound(page, faults);
  });
});
