import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { PROGRAM } from '../../kit/program.js';

const HOSTILE = 'Thanks \u001b]0;owned\u0007 \u009b31m \u202eevil';
/** What a terminal would obey. */
const OBEYED = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

let folder: string;
let api: TestApi;
let acme: TestTenant;
let beta: TestTenant;
let requestId: string;
let declarationId: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-feedback-'));
  write('asked', { opensAt: '2026-01-01T00:00:00Z' });
  write('spring', {});
  api = await startApi({ env: { SVC_SURVEYS_DIR: folder, SVC_BOOTSTRAP_TENANT_ID: 'acme' } });
  acme = api.tenant;
  beta = await api.addTenant('beta');
  await fill();
});
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true, force: true });
});

const question = { id: 'why', kind: 'text', text: 'Why?', required: true, maxLength: 100 };
const write = (id: string, members: object): void =>
  writeFileSync(
    join(folder, `${id}.yaml`),
    JSON.stringify({ id, version: 1, title: id, questions: [question], ...members }),
  );

/** One of each kind in beta, and a request of acme. */
async function fill(): Promise<void> {
  const must = async (tenant: TestTenant, path: string, body: object) => {
    const answer = await tenant.call('POST', path, body);
    expect([200, 201]).toContain(answer.status);
    return answer.body;
  };
  ({ requestId } = await must(beta, '/v1/feedback/requests', { title: '=1+1 as PDF', body: 'For\r\n"print".' }));
  const worth = { subject: 'pdf', amountMinor: 1250, currency: 'GBP', period: 'monthly' };
  ({ declarationId } = await must(beta, '/v1/feedback/revenue/declarations', worth));
  const answers = [{ questionId: 'why', text: 'Because.' }];
  await must(beta, '/v1/feedback/surveys/current/responses', { answers });
  await must(beta, '/v1/economy/tip-platform', { agentId: 'scout', credits: 7, message: HOSTILE });
  await must(acme, '/v1/feedback/requests', { title: 'Of acme', body: 'x' });
}

const environment = (): Record<string, string> => ({
  PATH: process.env['PATH']!,
  SVC_DATA_DIR: join(folder, 'data'),
  SVC_DATABASE_URL: api.database.url,
  SVC_SIGNING_KEY_FILE: inject('signingKeyFile'),
  SVC_SURVEYS_DIR: folder,
  SVC_BOOTSTRAP_TENANT_ID: 'acme',
});

interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

const svc = (...args: string[]): Promise<Outcome> => svcWith({}, ...args);

/**
 * Not synchronously: the server is in this process, and would close its idle connections before they are used again.
 */
async function svcWith(changes: Record<string, string>, ...args: string[]): Promise<Outcome> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: { ...environment(), ...changes },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}
/** The same, for several at once. */
const start = (...args: string[]): Promise<number | null> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      env: environment(),
      stdio: 'ignore',
    });
    child.once('exit', resolve);
  });
const json = async (...args: string[]): Promise<any> => JSON.parse((await svc(...args, '--json')).stdout);
const kindsOf = (said: { feedback: { kind: string; tenant_id: string }[] }): string[] =>
  said.feedback.map(({ kind, tenant_id }) => `${kind} ${tenant_id}`);

describe('svc feedback list', () => {
  it('shows what every tenant sent, newest first, in pages', async () => {
    const all = await json('feedback', 'list');
    const kinds = ['request acme', 'tip beta', 'survey beta', 'declaration beta', 'request beta'];
    expect([kindsOf(all), all.next_cursor]).toEqual([kinds, null]);
    const first = await json('feedback', 'list', '--limit', '3');
    const rest = await json('feedback', 'list', '--limit', '3', '--cursor', first.next_cursor);
    expect([...first.feedback, ...rest.feedback]).toEqual(all.feedback);
  });

  it('shows of each kind what was said', async () => {
    const [, tip, survey, declaration, request] = (await json('feedback', 'list')).feedback;
    expect(tip).toMatchObject({ credits: 7, message: HOSTILE, agent_id: 'scout', principal: `key:${beta.keyId}` });
    const answers = [{ question_id: 'why', question: 'Why?', answer: 'Because.' }];
    expect(survey).toMatchObject({ survey_id: 'asked', version: 1, title: 'asked', status: 'complete', answers });
    expect(declaration).toMatchObject({
      subject: 'pdf',
      amount_minor: 1250,
      status: 'pending',
      history: [{ to: 'pending' }],
    });
    expect(request).toMatchObject({ id: requestId, title: '=1+1 as PDF', body: 'For\r\n"print".', votes: 0 });
  });

  it('filters by tenant, kind, status and time', async () => {
    expect(kindsOf(await json('feedback', 'list', '--tenant', 'acme'))).toEqual(['request acme']);
    expect(kindsOf(await json('feedback', 'list', '--kind', 'tip'))).toEqual(['tip beta']);
    expect(kindsOf(await json('feedback', 'list', '--status', 'open'))).toEqual(['request acme', 'request beta']);
    expect(kindsOf(await json('feedback', 'list', '--since', '1h'))).toHaveLength(5);
    expect(kindsOf(await json('feedback', 'list', '--since', '2999-01-01'))).toEqual([]);
  });

  it('gives a terminal no control character', async () => {
    const { stdout } = await svc('feedback', 'list');
    expect(stdout).toContain('Thanks \\u001b]0;owned\\u0007 \\u009b31m \\u202eevil');
    expect(stdout.replaceAll('\n', '')).not.toMatch(OBEYED);
  });

  it.each<[string[], number, RegExp]>([
    [['--tenant', 'nobody'], 1, /^svc: There is no tenant nobody; svc tenant list shows them\n$/],
    [['--kind', 'gift'], 2, /request, declaration, survey, tip/],
    [['--since', 'yesterday'], 2, /such as 36h or 7d/],
    [['--limit', '0'], 2, /from 1 to 200/],
    [['--cursor', 'x'], 2, /--cursor: is not a cursor of this list/],
  ])('refuses %j', async (args, code, message) => {
    const outcome = await svc('feedback', 'list', ...args);
    expect([outcome.code, outcome.stdout]).toEqual([code, '']);
    expect(outcome.stderr).toMatch(message);
  });
});

describe('svc feedback export', () => {
  it('writes each record as a line of JSON that says the same and moves no terminal', async () => {
    const { stdout, stderr, code } = await svc('feedback', 'export');
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual((await json('feedback', 'list')).feedback);
    expect(stdout.replaceAll('\n', '')).not.toMatch(OBEYED);
    expect([code, stderr]).toEqual([0, 'Wrote 5 records to standard output.\n']);
  });

  it('writes CSV to a file of its owner, in which no cell is a formula', async () => {
    const file = join(folder, 'feedback.csv');
    expect(await json('feedback', 'export', '--format', 'csv', '--out', file)).toEqual({
      file,
      format: 'csv',
      records: 5,
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');
    expect(text.split('\n')[0]).toBe('kind,tenant_id,id,at,status,principal,agent_id,title,text,amount,unit,details');
    expect(text).toContain(`,'=1+1 as PDF,"For\\u000d\n""print"".",`);
    expect(text.replaceAll('\n', '')).not.toMatch(OBEYED);
    expect(existsSync(`${file}.partial`)).toBe(false);
    const again = await svc('feedback', 'export', '--out', file);
    expect([again.code, again.stderr]).toEqual([1, `svc: ${file} exists; choose another name\n`]);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('wants a file for --json', async () => {
    const { code, stdout } = await svc('feedback', 'export', '--json');
    expect([code, JSON.parse(stdout)]).toEqual([
      2,
      { ok: false, error: '--json prints one object about the file; name it with --out' },
    ]);
  });
});

describe('svc feedback answer', () => {
  it('answers a request and a declaration, which their tenant sees', async () => {
    expect(
      await json('feedback', 'answer', 'beta', requestId, '--text', 'Planned.', '--decision', 'accept'),
    ).toMatchObject({
      tenant_id: 'beta',
      kind: 'request',
      id: requestId,
      status: 'acknowledged',
      answer: { text: 'Planned.' },
    });
    const { requests } = (await beta.call('GET', '/v1/feedback/requests')).body;
    expect(requests[0]).toMatchObject({ status: 'acknowledged', operatorAnswer: { text: 'Planned.' } });
    expect(await svc('feedback', 'answer', 'beta', declarationId, '--text', 'Thank you.')).toEqual({
      code: 0,
      stdout: `Answered declaration ${declarationId} of beta, which is pending.\n`,
      stderr: '',
    });
    const receipts = await api.database.query(
      `select kind, actor from receipt where tenant_id = 'beta' and subject in ($1::text, $2::text) order by kind`,
      [requestId, declarationId],
    );
    expect(receipts).toEqual([
      { kind: 'feedback.declaration_answered', actor: 'operator' },
      { kind: 'feedback.request_answered', actor: 'operator' },
    ]);
    expect((await acme.call('GET', '/v1/feedback/requests')).text).not.toContain('Planned.');
  });

  it('refuses what the request does not allow, in words', async () => {
    const outcome = (...args: string[]) => svc('feedback', 'answer', ...args);
    const decided = await outcome('beta', requestId, '--text', 'x', '--decision', 'accept');
    expect([decided.code, decided.stderr]).toEqual([
      1,
      'svc: This cannot be done from the present status: The request is acknowledged, which does not let you accept; from there: ship, archive, decline, vote\n',
    ]);
    const foreign = await outcome('acme', requestId, '--text', 'x');
    expect([foreign.code, foreign.stderr]).toEqual([1, expect.stringMatching(/^svc: Tenant acme has no request or/)]);
    const verdict = await outcome('beta', requestId, '--text', 'x', '--decision', 'rejected');
    expect([verdict.code, verdict.stderr]).toEqual([2, expect.stringMatching(/^svc: A request takes --decision /)]);
    expect([
      (await outcome('beta', 'x', '--text', 'x')).code,
      (await outcome('beta', requestId, '--text', ' ')).code,
    ]).toEqual([2, 2]);
  });
});

describe('svc survey', () => {
  it('lists windows, counts and faults', async () => {
    writeFileSync(join(folder, 'broken.yaml'), 'id: broken\nversion: 1\ntitle: B\nquestions: []\n');
    const said = await json('survey', 'list');
    const tiers = ['free', 'starter', 'pro', 'team'];
    expect(said.surveys).toMatchObject([
      { survey_id: 'asked', state: 'open', current_for: tiers, window_set_by: 'file', complete: 1, partial: 0 },
      { survey_id: 'spring', state: 'closed', current_for: [], opens_at: null },
    ]);
    expect(said.faults).toEqual([
      { file: 'broken.yaml', member: 'questions', message: 'expected one question at least' },
    ]);
    const { code, stderr } = await svc('survey', 'list');
    expect([code, stderr]).toEqual([0, `svc: ${folder}: broken.yaml: questions: expected one question at least\n`]);
    rmSync(join(folder, 'broken.yaml'));
  });

  it('opens and closes for the running server at once', async () => {
    const current = async () => (await acme.call('GET', '/v1/feedback/surveys/current')).body;
    expect(await json('survey', 'open', 'spring', '--until', '14d')).toMatchObject({ survey_id: 'spring', version: 1 });
    expect((await current()).surveyId).toBe('spring');
    expect((await json('survey', 'close', 'spring')).closed).toMatchObject([{ survey_id: 'spring', version: 1 }]);
    expect((await current()).surveyId).toBe('asked');
    expect((await svc('survey', 'close', 'spring')).stdout).toBe('spring was closed before.\n');
    expect((await svc('survey', 'close', 'asked')).code).toBe(0);
    expect(await current()).toMatchObject({ status: 404, type: 'NoSurveyOpen' });
    expect(await svc('survey', 'open', 'nowhere')).toMatchObject({ code: 1, stdout: '' });
    expect((await svc('survey', 'open', 'spring', '--until', '2020-01-01')).code).toBe(2);
    const elsewhere = await svcWith({ SVC_BOOTSTRAP_TENANT_ID: 'nobody' }, 'survey', 'open', 'spring');
    expect([elsewhere.code, elsewhere.stderr]).toEqual([1, expect.stringMatching(/is nobody, and there is no such/)]);
  });

  it('takes what several operators do at once one after the other', async () => {
    const codes = await Promise.all([
      start('survey', 'open', 'spring'),
      start('survey', 'close', 'spring'),
      start('survey', 'open', 'spring'),
    ]);
    expect(codes).toEqual([0, 0, 0]);
    const [rows] = await api.database.query<{ changes: number; receipts: number }>(
      `select (select count(*)::int from survey_window where survey_id = 'spring') as changes,
         (select count(*)::int from receipt where tenant_id = 'acme' and subject = 'spring') as receipts`,
    );
    expect(rows!.receipts).toBe(rows!.changes);
  });
});
