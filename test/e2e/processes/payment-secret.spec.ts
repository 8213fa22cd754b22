import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest';
import type { Credentials } from '../../../src/common/database/credentials-file.js';
import { caller, send, type Answer } from '../../kit/app.js';
import { emptyDatabase } from '../../kit/database.js';
import { ServerProcess } from '../../kit/server-process.js';
import { deliverPayment, paymentEventOf } from '../../medium/economy/given.js';

const API_KEY = 'chosen by the test, thirty-two long';
/** As in a container: nothing generated. */
const PRODUCTION = {
  NODE_ENV: 'production',
  SVC_SESSION_SECRET: 'of the test, thirty-two characters long',
  SVC_BOOTSTRAP_API_KEY: API_KEY,
  SVC_SIGNING_KEY_FILE: inject('signingKeyFile'),
  SVC_SHUTDOWN_DELAY_SECS: '0',
};

let folder: string;
let database: Awaited<ReturnType<typeof emptyDatabase>>;
const running: ServerProcess[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-payments-'));
  database = await emptyDatabase();
}, 120_000);
afterEach(() => stopAll());
afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

async function stopAll(): Promise<void> {
  await Promise.all(running.splice(0).map((one) => one.stop('SIGKILL')));
}

const file = (dataDir = 'first'): string => join(folder, dataDir, 'credentials.json');
const credentials = (): Credentials => JSON.parse(readFileSync(file(), 'utf8')) as Credentials;

async function start(dataDir: string, env: Record<string, string> = {}, app?: 'tools'): Promise<ServerProcess> {
  const one = await ServerProcess.at(database.url, join(folder, dataDir), { NODE_ENV: 'development', ...env }, app);
  await one.start();
  running.push(one);
  return one;
}

const convert = (api: ServerProcess, apiKey = credentials().api_key): Promise<Answer> =>
  caller(api.url, 'default', apiKey)('POST', '/v1/economy/convert', { agentId: 'a', credits: 100 });
const settle = async (api: ServerProcess, secret: string): Promise<[number, string | undefined]> => {
  const { conversionId } = (await convert(api)).body;
  const { status, body } = await deliverPayment(api.url, secret, paymentEventOf(conversionId as string));
  return [status, body.outcome as string | undefined];
};

// One after the other: what the first start makes, later ones find.
it('the first start makes a secret that settles conversions, and no other does', async () => {
  const api = await start('first');
  const { payment_webhook_secret: secret } = credentials();
  expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  expect(await settle(api, secret)).toEqual([200, 'settled']);
  expect(await settle(api, credentials().daemon_jwt_secret)).toEqual([401, undefined]);
  expect(api.output).not.toContain(secret);
});

it('a later start keeps it; the environment counts before it', async () => {
  const { payment_webhook_secret: secret } = credentials();
  expect(await settle(await start('first'), secret)).toEqual([200, 'settled']);
  const other = 'whsec-of-the-environment';
  const api = await start('first', { SVC_PAYMENT_WEBHOOK_SECRET: other });
  expect([await settle(api, other), await settle(api, secret)]).toEqual([
    [200, 'settled'],
    [401, undefined],
  ]);
});

it('a data directory of an earlier version gets one, alike for all that start', async () => {
  const { payment_webhook_secret: former, ...kept } = credentials();
  writeFileSync(file(), JSON.stringify({ ...kept, note: 'by hand' }), { mode: 0o600 });
  const both = await Promise.all([start('first'), start('first')]);
  const { payment_webhook_secret: secret, ...others } = credentials();
  expect(others).toEqual({ ...kept, note: 'by hand' });
  expect([typeof secret, secret === former, statSync(file()).mode & 0o777]).toEqual(['string', false, 0o600]);
  for (const api of both) expect(await settle(api, secret)).toEqual([200, 'settled']);
});

it('a server on a database that others set up has none, and converts nothing', async () => {
  const api = await start('foreign');
  expect(() => statSync(file('foreign'))).toThrow('ENOENT');
  const { status, body } = await convert(api);
  expect([status, body.type, body.feature]).toEqual([412, 'FeatureDisabled', 'payments']);
});

it('in production the file does not count: 412, for tools feature_disabled, and 401 for the provider', async () => {
  const { payment_webhook_secret: secret, api_key: apiKey } = credentials();
  const api = await start('first', PRODUCTION);
  const tools = await start('first', { ...PRODUCTION, SVC_API_URL: api.url }, 'tools');
  const headers = { 'x-tenant-id': 'default', 'x-api-key': apiKey };
  for (const path of ['/v1/economy/convert', '/v1/economy/convert/preview']) {
    const { status, body } = await caller(api.url, 'default', apiKey)('POST', path, { agentId: 'a', credits: 100 });
    expect([status, body.type, body.feature]).toEqual([412, 'FeatureDisabled', 'payments']);
    expect(body.detail).toContain('Set SVC_PAYMENT_WEBHOOK_SECRET');
  }
  const args = { agent_id: 'a', credits: 100 };
  const calls = {
    convert_credits_to_discount: { ...args, idempotency_key: 'of-production' },
    get_subscription_discount_preview: args,
  };
  for (const [method, params] of Object.entries(calls)) {
    const { body } = await send(tools.url, 'POST', '/rpc', { jsonrpc: '2.0', id: 1, method, params }, headers);
    expect([body.error.code, body.error.data.feature]).toEqual([-32008, 'payments']);
  }
  const event = paymentEventOf('00000000-0000-4000-8000-000000000000');
  expect((await deliverPayment(api.url, secret, event)).status).toBe(401);
  await stopAll();
  const open = await start('first', { ...PRODUCTION, SVC_PAYMENT_WEBHOOK_SECRET: secret });
  expect(await settle(open, secret)).toEqual([200, 'settled']);
});
