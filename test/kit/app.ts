import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { inject } from 'vitest';
import { openApi } from '../../src/apps/api.app.js';
import { loadSettings } from '../../src/common/config/settings.js';
import type { Tier } from '../../src/common/contract/caller.js';
import type { DatabaseAddress } from '../../src/common/database/connection.js';
import { TenantsStore } from '../../src/common/keys/tenants.store.js';
import { makeLog } from '../../src/common/observability/log.js';
import { Metrics } from '../../src/common/observability/metrics.js';
import { freshDatabase, type TestDatabase } from './database.js';

export interface Answer {
  status: number;
  headers: Headers;
  /** Untyped: the tests assert on shapes they know. */
  body: any;
  text: string;
}

/** A tenant with its key, and how it calls the API. */
export interface TestTenant {
  tenantId: string;
  apiKey: string;
  keyId: string;
  /** A call with the tenant's two headers, and an idempotency key of its own where the method writes. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

export interface TestApi {
  url: string;
  app: NestFastifyApplication;
  database: TestDatabase;
  /** Tenant `acme`, tier team, made with the app. */
  tenant: TestTenant;
  addTenant(tenantId: string, tier?: Tier): Promise<TestTenant>;
  close(): Promise<void>;
}

export interface TestApiOptions {
  env?: Record<string, string>;
  /** Share another app's database: two processes' worth of state on one database. It is not dropped on close. */
  database?: TestDatabase;
  /** How the app reaches that database, where it is not directly. */
  address?: DatabaseAddress;
}

/** The real API app on a free loopback port, on a database of its own. */
export async function startApi(options: TestApiOptions = {}): Promise<TestApi> {
  const database = options.database ?? (await freshDatabase());
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-app-'));
  const settings = loadSettings({
    NODE_ENV: 'test',
    SVC_DATA_DIR: dataDir,
    SVC_SIGNING_KEY_FILE: inject('signingKeyFile'),
    SVC_API_PORT: '0',
    SVC_LOG_LEVEL: 'silent',
    SVC_DATABASE_POOL_SIZE: '8',
    // A loaded machine is slow to hand connections on; what is tested is not how slow.
    SVC_DATABASE_CONNECT_TIMEOUT_MS: '15000',
    SVC_SHUTDOWN_DRAIN_SECS: '5',
    // Without one credits are not converted.
    SVC_PAYMENT_WEBHOOK_SECRET: 'whsec-of-any-payment-provider',
    ...options.env,
  });
  const address = options.address ?? { ownerUrl: database.url };
  const { app, url } = await openApi({ settings, address, log: makeLog(settings, 'api'), metrics: new Metrics() });
  const addTenant = (tenantId: string, tier: Tier = 'team') => makeTenant(url, database, tenantId, tier);
  return {
    url,
    app,
    database,
    addTenant,
    tenant: await addTenant(options.database ? `acme-${Math.random().toString(36).slice(2, 10)}` : 'acme'),
    close: async () => {
      await app.close();
      if (!options.database) await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function makeTenant(url: string, database: TestDatabase, tenantId: string, tier: Tier): Promise<TestTenant> {
  const made = await TenantsStore.using({ ownerUrl: database.url }, (store) => store.createTenant(tenantId, tier));
  if (!made) throw new Error(`There is a tenant ${tenantId} already`);
  const { keyId, key } = made;
  return { tenantId, keyId, apiKey: key.apiKey, call: caller(url, tenantId, key.apiKey) };
}

/** The secret part of an API key; it may itself hold underscores. */
export const secretOf = (apiKey: string): string => apiKey.split('_').slice(3).join('_');

/** How a tenant calls one server; for a second server on the same database. */
export const caller = (url: string, tenantId: string, apiKey: string): TestTenant['call'] =>
  callerWith(url, { 'x-tenant-id': tenantId, 'x-api-key': apiKey });

/** How a session calls one server: with its cookie (`svc_session=...`), from the server's own pages. */
export const bySession = (url: string, cookie: string): TestTenant['call'] => callerWith(url, { cookie, origin: url });

/** How an agent that registered itself calls one server. */
export const byBearer = (url: string, token: string): TestTenant['call'] =>
  callerWith(url, { authorization: `Bearer ${token}` });

/** Calls with a credential, and an idempotency key of its own where the method writes. */
const callerWith =
  (url: string, credential: Record<string, string>): TestTenant['call'] =>
  (method, path, body, headers = {}) =>
    send(url, method, path, body, {
      ...credential,
      ...(method === 'GET' ? {} : { 'x-idempotency-key': crypto.randomUUID() }),
      ...headers,
    });

let addresses = 0;
/**
 * The header of a client that never called before, for a server that trusts 127.0.0.1: failures of others are not
 * counted for it.
 */
export const fromAnotherAddress = (): Record<string, string> => {
  addresses += 1;
  return { 'x-forwarded-for': `198.18.${addresses >> 8}.${addresses & 255}` };
};

const isSentAsItIs = (body: unknown): body is string | Uint8Array<ArrayBuffer> | FormData | undefined =>
  body === undefined || typeof body === 'string' || body instanceof Uint8Array || body instanceof FormData;

/**
 * One HTTP call. Text, bytes and a form are sent as they are, anything else as JSON; an empty header value leaves the
 * header out.
 */
export async function send(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const sent = Object.entries({
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  }).filter(([, value]) => value !== '');
  const response = await fetch(url + path, {
    method,
    headers: sent,
    body: isSentAsItIs(body) ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const json = response.headers.get('content-type')?.includes('json') && text !== '';
  return {
    status: response.status,
    headers: response.headers,
    body: json ? (JSON.parse(text) as unknown) : text,
    text,
  };
}
