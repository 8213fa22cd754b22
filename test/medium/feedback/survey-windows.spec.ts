import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATOR } from '../../../src/common/evidence-log/audit-trail.js';
import { SurveyWindowsService } from '../../../src/modules/continuity/feedback/survey-windows.service.js';
import { startApi, type Answer, type TestApi, type TestTenant } from '../../kit/app.js';

const CURRENT = '/v1/feedback/surveys/current';
const SECOND = 1_000;

let folder: string;
let api: TestApi;
/** Another process's worth of state on the same database. */
let other: TestApi;
let tenants = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-surveys-'));
  write('first');
  const env = { SVC_SURVEYS_DIR: folder, SVC_BOOTSTRAP_TENANT_ID: 'acme' };
  api = await startApi({ env });
  other = await startApi({ env, database: api.database });
});
afterAll(async () => {
  await other.close();
  await api.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Writes the file of a survey, whose window is the last month and the next unless said otherwise. */
function write(id: string, members: Record<string, unknown> = {}, file = `${id}.yaml`): void {
  const month = 30 * 86_400 * SECOND;
  const survey = {
    id,
    version: 1,
    title: `Survey ${id}`,
    opensAt: new Date(Date.now() - month).toISOString(),
    closesAt: new Date(Date.now() + month).toISOString(),
    questions: [{ id: 'why', kind: 'text', text: 'Why?', required: true, maxLength: 100 }],
    ...members,
  };
  writeFileSync(join(folder, file), JSON.stringify(survey));
}

const aTenant = (): Promise<TestTenant> => api.addTenant(`windows-${++tenants}`);
const nameOf = ({ status, body }: Answer): string => (status === 200 ? `${body.surveyId} ${body.version}` : body.type);
/** What both processes ask the tenant. */
async function current({ tenantId, apiKey }: TestTenant): Promise<string[]> {
  const headers = { 'x-tenant-id': tenantId, 'x-api-key': apiKey };
  return Promise.all(
    [api, other].map(async ({ url }) => {
      const response = await fetch(url + CURRENT, { headers });
      return nameOf({ status: response.status, body: await response.json() } as Answer);
    }),
  );
}
const becomes = (tenant: TestTenant, name: string) =>
  expect.poll(() => current(tenant), { timeout: 10 * SECOND }).toEqual([name, name]);
const respond = (tenant: TestTenant, members: object = {}): Promise<Answer> =>
  tenant.call('POST', `${CURRENT}/responses`, { answers: [{ questionId: 'why', text: 'So.' }], ...members });
const windows = (): SurveyWindowsService => api.app.get(SurveyWindowsService);
const open = (surveyId: string, version?: number, until: Date | null = null) =>
  windows().open(OPERATOR, { surveyId, version }, until);
const close = (surveyId: string, version?: number) => windows().close(OPERATOR, { surveyId, version });

describe('the window of a survey', () => {
  it('follows its file while the server runs, whatever is wrong with another file', async () => {
    const tenant = await aTenant();
    await becomes(tenant, 'first 1');
    writeFileSync(join(folder, 'broken.yaml'), 'id: broken\nversion: [');
    write('tomorrow', { opensAt: new Date(Date.now() + 3600 * SECOND).toISOString() });
    write('second', { opensAt: new Date(Date.now() - 3600 * SECOND).toISOString() });
    await becomes(tenant, 'second 1');
    write('second', { closesAt: new Date(Date.now() - SECOND).toISOString() });
    await becomes(tenant, 'first 1');
    expect((await tenant.call('GET', CURRENT)).body.closesAt).toMatch(/Z$/);
    for (const name of ['broken', 'tomorrow', 'second']) rmSync(join(folder, `${name}.yaml`));
  });

  it('is set by the operator for every process at once, before the file says so and after', async () => {
    const tenant = await aTenant();
    write('later', { opensAt: undefined, closesAt: undefined });
    await expect
      .poll(
        () =>
          open('later').then(
            () => 'opened',
            () => 'unknown',
          ),
        { timeout: 10 * SECOND },
      )
      .toBe('opened');
    await becomes(tenant, 'later 1');
    expect((await close('later')).map(({ surveyId, version }) => [surveyId, version])).toEqual([['later', 1]]);
    expect(await current(tenant)).toEqual(['first 1', 'first 1']);
    expect(await close('later')).toEqual([]);
    await open('first', undefined, new Date(Date.now() + 2 * SECOND));
    expect((await tenant.call('GET', CURRENT)).body.surveyId).toBe('first');
    await becomes(tenant, 'NoSurveyOpen');
    await open('first');
    expect(await current(tenant)).toEqual(['first 1', 'first 1']);
    rmSync(join(folder, 'later.yaml'));
  });

  it('leaves who, when and what as rows, events and receipts of the operating tenant', async () => {
    await close('first');
    await open('first');
    const rows = await api.database.query<{ seq: number }>(
      `select seq, changed_by, closes_at is null as endless from survey_window where survey_id = 'first' order by seq desc limit 2`,
    );
    expect(rows).toMatchObject([
      { changed_by: 'operator', endless: true },
      { changed_by: 'operator', endless: false },
    ]);
    expect(rows[0]!.seq).toBe(rows[1]!.seq + 1);
    const records = await api.database.query(
      `select 'event' as record, kind, data->>'actor' as actor from outbox_event where tenant_id = 'acme' and subject = 'first' and kind like 'survey.%'
       union all select 'receipt', kind, actor from receipt where tenant_id = 'acme' and subject = 'first' and kind like 'survey.%'`,
    );
    for (const record of ['event', 'receipt'])
      for (const kind of ['survey.opened', 'survey.closed'])
        expect(records).toContainEqual({ record, kind, actor: 'operator' });
    expect(
      await api.database.query(`select from outbox_event where tenant_id <> 'acme' and kind like 'survey.%'`),
    ).toEqual([]);
  });

  it('takes one change after the other when several come at once', async () => {
    const count = () =>
      api.database.query<{ count: number }>(
        `select count(*)::int as count from survey_window where survey_id = 'first'`,
      );
    const [before] = await count();
    const closing = other.app.get(SurveyWindowsService);
    const changes = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        index % 2
          ? open('first').then(() => 1)
          : closing.close(OPERATOR, { surveyId: 'first' }).then(({ length }) => length),
      ),
    );
    const written = changes.reduce((sum, one) => sum + one, 0);
    expect((await count())[0]!.count - before!.count).toBe(written);
    const receipts = await api.database.query<{ count: number }>(
      `select count(*)::int as count from receipt where tenant_id = 'acme' and subject = 'first'`,
    );
    const [rows] = await count();
    expect(receipts[0]!.count).toBe(rows!.count);
    await open('first');
  });

  it('is of a survey that there is', async () => {
    await expect(open('nowhere')).rejects.toMatchObject({ facts: { surveyId: 'nowhere' } });
    await expect(close('first', 9)).rejects.toMatchObject({ facts: { surveyId: 'first' } });
  });
});

describe('an answer', () => {
  it('to a survey that closed meanwhile is refused, and nothing of it is kept', async () => {
    const [tenant, second] = [await aTenant(), await aTenant()];
    expect((await respond(tenant)).status).toBe(200);
    await close('first');
    const late = await respond(second, { surveyId: 'first' });
    expect([late.status, late.body.type]).toEqual([404, 'NoSurveyOpen']);
    expect(late.body.detail).toMatch(/^first closed at 20.*Z; nothing was kept of these answers$/);
    await open('first');
    expect((await second.call('GET', CURRENT)).body.response).toBeNull();
    expect((await tenant.call('GET', CURRENT)).body.response.status).toBe('complete');
  });

  it('keeps to the version it was given to; the same version is asked as it was answered', async () => {
    const tenant = await aTenant();
    write('bound', { title: 'As answered', opensAt: new Date().toISOString() });
    await becomes(tenant, 'bound 1');
    expect((await respond(tenant)).body).toMatchObject({ surveyId: 'bound', version: 1, status: 'complete' });
    write('bound', { title: 'Changed', opensAt: new Date().toISOString() });
    write('bound', { title: 'New', version: 2, opensAt: undefined }, 'bound-2.yaml');
    await expect.poll(() => open('bound').then(({ version }) => version), { timeout: 10 * SECOND }).toBe(2);
    expect((await tenant.call('GET', CURRENT)).body).toMatchObject({ version: 2, title: 'New', response: null });
    const old = await respond(tenant, { surveyId: 'bound', version: 1 });
    expect([old.status, old.body.type, old.body.version]).toEqual([409, 'SurveyChanged', 2]);
    await close('bound', 2);
    expect((await tenant.call('GET', CURRENT)).body).toMatchObject({ version: 1, title: 'As answered' });
    await close('bound');
    for (const name of ['bound', 'bound-2']) rmSync(join(folder, `${name}.yaml`));
  });

  it("reaches a tenant's own events alone", async () => {
    const [tenant, second] = [await aTenant(), await aTenant()];
    await respond(tenant, { answers: [{ questionId: 'why', text: 'for our ears' }] });
    const textsOf = async ({ call }: TestTenant) =>
      JSON.stringify((await call('GET', '/v1/events?kind=feedback.*')).body);
    await expect.poll(() => textsOf(tenant), { timeout: 10 * SECOND }).toContain('for our ears');
    expect(await textsOf(second)).not.toContain('for our ears');
    expect(await textsOf(api.tenant)).not.toContain('for our ears');
  });
});
