import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { EvidenceService } from '../../../src/common/evidence-log/evidence.service.js';
import { Tenancy } from '../../../src/common/tenancy/tenancy.js';
import { startApi, type TestApi, type TestTenant } from '../../kit/app.js';
import { PROGRAM } from '../../kit/program.js';
import { balancesOf, deliverPayment, ledgerFaults, paymentEventOf } from '../../medium/economy/given.js';

const SECRET = 'whsec-of-the-payment-provider';
const NOWHERE = '00000000-0000-4000-8000-000000000000';

let folder: string;
let api: TestApi;
let one: TestTenant;
let two: TestTenant;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-conversions-'));
  api = await startApi({ env: { SVC_PAYMENT_WEBHOOK_SECRET: SECRET } });
  one = await api.addTenant('one', 'team');
  two = await api.addTenant('two', 'team');
}, 120_000);
afterEach(async () => expect(await ledgerFaults(api.database)).toEqual([]));
afterAll(async () => {
  await api.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Ended {
  code: number | null;
  /** What --json prints. Untyped where the tests assert on shapes they know. */
  said: any;
  stdout: string;
  stderr: string;
}

/** `svc credits conversions ...` on the database of the test. */
const run = (...words: string[]): Promise<Ended> => svc(['credits', 'conversions', ...words]);

function svc(words: string[], environment: Record<string, string> = {}): Promise<Ended> {
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    env: {
      ...environment,
      PATH: process.env['PATH'],
      SVC_DATA_DIR: folder,
      SVC_DATABASE_URL: api.database.url,
      SVC_SIGNING_KEY_FILE: inject('signingKeyFile'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (ended.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (ended.stderr += text));
  return new Promise((resolve) =>
    child.once('close', (code) => {
      resolve({ ...ended, code, said: words.includes('--json') ? JSON.parse(ended.stdout) : undefined });
    }),
  );
}

async function convert(tenant: TestTenant, agentId = 'a'): Promise<string> {
  const { status, body, text } = await tenant.call('POST', '/v1/economy/convert', { agentId, credits: 100 });
  if (status !== 201) throw new Error(text);
  return body.conversionId as string;
}
/** Its newest event, and its newest receipt, which is signed. */
async function recordsOf(tenantId: string, conversionId: string): Promise<object> {
  const [event] = await api.database.query<object>(
    `select kind, data->>'actor' as actor, data->>'reason' as reason from outbox_event where subject = $1 order by position desc limit 1`,
    [conversionId],
  );
  const evidence = api.app.get(EvidenceService);
  const { payload } = await api.app.get(Tenancy).run(tenantId, async () => {
    const { receiptId } = (await evidence.findBySubject(conversionId)).at(-1)!;
    return evidence.read(receiptId);
  });
  const { kind, actor, auth_mode } = payload;
  return { event, receipt: { kind, actor, auth_mode } };
}

describe('svc credits conversions', { timeout: 60_000 }, () => {
  it('list shows those of all tenants, oldest first, in pages, by tenant and by status', async () => {
    const ids = [await convert(one), await convert(two), await convert(one)];
    const idsIn = ({ said }: Ended): string[] =>
      said.conversions.map(({ conversion_id }: { conversion_id: string }) => conversion_id);
    const first = await run('list', '--limit', '2', '--json');
    expect([first.code, idsIn(first)]).toEqual([0, ids.slice(0, 2)]);
    const rest = await run('list', '--limit', '2', '--cursor', first.said.next_cursor, '--json');
    expect([idsIn(rest), rest.said.next_cursor]).toEqual([ids.slice(2), null]);
    expect(idsIn(await run('list', '--tenant', 'two', '--json'))).toEqual([ids[1]]);
    expect((await run('list', '--status', 'applied')).stdout).toBe('No conversion is applied.\n');
    const { stdout } = await run('list', '--limit', '2');
    expect(stdout).toMatch(/^CONVERSION +TENANT +AGENT +CREDITS +DISCOUNT +REQUESTED +EXPIRES\n/);
    expect(stdout).toMatch(new RegExp(`${ids[1]} +two +a +100 +1.00 GBP +`));
    expect(stdout).toMatch(/^There are more: --cursor \S+$/m);
  });

  it('settle burns the credits, with event and receipt of the operator', async () => {
    const conversionId = await convert(await api.addTenant('settled', 'starter'));
    const { code, said } = await run('settle', conversionId, '--json');
    expect([code, said]).toEqual([
      0,
      {
        ...{ conversion_id: conversionId, tenant_id: 'settled', status: 'applied', credits: 100, changed: true },
        receipt_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    ]);
    expect(await balancesOf(api.database, 'settled')).toEqual({ allowance: 4900, discount: 100, issuance: -5000 });
    expect(await recordsOf('settled', conversionId)).toEqual({
      event: { kind: 'conversion.applied', actor: 'operator', reason: null },
      receipt: { kind: 'conversion.applied', actor: 'operator', auth_mode: 'cli' },
    });
    const again = await run('settle', conversionId);
    expect([again.code, again.stdout]).toEqual([
      0,
      expect.stringMatching(/was applied at .*Z already; nothing changed/),
    ]);
    const against = await run('release', conversionId, '--reason', 'a mistake');
    expect([against.code, against.stderr]).toEqual([1, expect.stringMatching(/was applied at .*Z and stays so/)]);
    expect(await balancesOf(api.database, 'settled')).toMatchObject({ discount: 100 });
  });

  it('release gives the credits back and shows the tenant why; a server that runs makes leaves of it', async () => {
    const tenant = await api.addTenant('released', 'starter');
    const conversionId = await convert(tenant);
    const { code, stdout } = await run('release', conversionId, '--reason', 'the bill was paid already');
    expect([code, stdout]).toEqual([0, `Conversion ${conversionId} of released failed: 100 credits are released.\n`]);
    expect(await balancesOf(api.database, 'released')).toEqual({ allowance: 5000, issuance: -5000 });
    const [item] = (await tenant.call('GET', '/v1/credits/a/escrow?status=failed')).body.items;
    expect([item.conversionId, item.failureReason]).toEqual([conversionId, 'the bill was paid already']);
    expect(await recordsOf('released', conversionId)).toEqual({
      event: { kind: 'conversion.failed', actor: 'operator', reason: 'the bill was paid already' },
      receipt: { kind: 'conversion.failed', actor: 'operator', auth_mode: 'cli' },
    });
    await expect.poll(() => api.database.query('select from log_pending'), { timeout: 10_000 }).toEqual([]);
    // The provider says otherwise afterwards.
    const { body } = await deliverPayment(api.url, SECRET, paymentEventOf(conversionId));
    expect(body.outcome).toBe('ignored');
    expect(await recordsOf('released', conversionId)).toMatchObject({
      event: { kind: 'conversion.contradicted', actor: 'svc:payment-provider' },
    });
  });

  it('says what is wrong, with 1 where it cannot be done and 2 where the command is wrong', async () => {
    const cases: [number, string, string[]][] = [
      [1, 'There is no conversion', ['settle', NOWHERE]],
      [1, 'There is no conversion', ['release', NOWHERE, '--reason', 'x']],
      [1, 'There is no tenant nobody', ['list', '--tenant', 'nobody']],
      [2, 'A conversion is named by its id', ['settle', '7']],
      [2, "required option '--reason", ['release', NOWHERE]],
      [2, 'Say it in 1 to 2000', ['release', NOWHERE, '--reason', ' ']],
      [2, 'Allowed choices are pending, applied, failed', ['list', '--status', 'gone']],
      [2, 'from 1 to 1000', ['list', '--limit', '0']],
      [2, 'not a cursor', ['list', '--cursor', 'WyJ4Il0']],
      [2, 'missing required argument', ['settle']],
    ];
    for (const [code, sentence, words] of cases) {
      const { code: ended, stderr } = await run(...words);
      expect([words, ended, stderr]).toEqual([words, code, expect.stringContaining(sentence)]);
      expect(stderr).not.toMatch(/^ {4}at /m);
    }
  });

  it('settles once, whatever two operators do at the same moment', async () => {
    const conversionId = await convert(await api.addTenant('both', 'starter'));
    const [released, settled] = await Promise.all([
      run('release', conversionId, '--reason', 'no bill', '--json'),
      run('settle', conversionId, '--json'),
    ]);
    expect([released.code, settled.code].sort()).toEqual([0, 1]);
    expect(await balancesOf(api.database, 'both')).toEqual(
      settled.code === 0 ? { allowance: 4900, discount: 100, issuance: -5000 } : { allowance: 5000, issuance: -5000 },
    );
  });
});

describe('svc doctor', { timeout: 60_000 }, () => {
  const look = async (age: string, environment: Record<string, string>) => {
    await api.database.query(
      `update conversion set requested_at = now() - $1::interval where state = 'pending' and tenant_id = 'waiting'`,
      [age],
    );
    const { said } = await svc(['doctor', '--json'], environment);
    return said.checks.find(({ name }: { name: string }) => name === 'conversions');
  };

  it('warns where nobody can settle conversions or nobody does, and fails where they are not released', async () => {
    await convert(await api.addTenant('waiting', 'starter'));
    const withSecret = { SVC_PAYMENT_WEBHOOK_SECRET: SECRET };
    expect(await look('1 hour', withSecret)).toEqual({
      name: 'conversions',
      ok: true,
      detail: expect.stringMatching(/^\d+ pending$/),
    });
    expect(await look('1 hour', {})).toMatchObject({
      ok: true,
      detail: expect.stringContaining('there is no payment webhook secret'),
      remedy: expect.stringContaining('SVC_PAYMENT_WEBHOOK_SECRET'),
    });
    expect(await look('4 days', withSecret)).toMatchObject({
      ok: true,
      detail: expect.stringMatching(/the oldest for 4\.0 days/),
      remedy: expect.stringContaining('svc credits conversions list'),
    });
    expect(await look('8 days', withSecret)).toMatchObject({
      ok: false,
      detail: expect.stringContaining('was not released'),
      remedy: expect.stringContaining('SVC_JOBS=1'),
    });
  });
});
