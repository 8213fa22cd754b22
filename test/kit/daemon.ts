import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { inject } from 'vitest';
import { openDaemon } from '../../src/apps/daemon.app.js';
import { loadSettings } from '../../src/common/config/settings.js';
import type { DatabaseAddress } from '../../src/common/database/connection.js';
import { TenantsStore } from '../../src/common/keys/tenants.store.js';
import { makeLog, type Log } from '../../src/common/observability/log.js';
import { Metrics } from '../../src/common/observability/metrics.js';
import { send, type Answer } from './app.js';
import { freshDatabase, type TestDatabase } from './database.js';

/** Who calls in a test: by dev_scopes unless a bearer is given. */
interface Actor {
  scopes?: string;
  passport?: string;
  tenant?: string;
  bearer?: string;
}

export type DaemonCall = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>;

export interface TestDaemon {
  url: string;
  /** The MCP endpoint; empty while its flag is off. */
  mcpUrl: string;
  /** `host:port`. */
  grpcAddress: string;
  app: NestFastifyApplication;
  database: TestDatabase;
  dataDir: string;
  /** Every scope there is for facts, evidence and operators, in the tenant `default`. */
  call: DaemonCall;
  as(actor: Actor): DaemonCall;
  close(): Promise<void>;
}

export interface TestDaemonOptions {
  env?: Record<string, string>;
  /** Share another app's database. It is not dropped on close. */
  database?: TestDatabase;
  /** How the app reaches that database, where it is not directly. */
  address?: DatabaseAddress;
  /** Created before it starts: in the modes of tokens nobody works in others. */
  tenants?: string[];
  /** Where its log lines go; nowhere unless given. */
  log?: Log;
}

export const ALL_SCOPES =
  'admin:read admin:write facts:read facts:write query:read receipts:read exports:read replay:answer sessions:read sessions:write';

/** The real daemon app on free loopback ports, in dev_scopes unless said otherwise, on a database of its own. */
export async function startDaemon(options: TestDaemonOptions = {}): Promise<TestDaemon> {
  const database = options.database ?? (await freshDatabase());
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-daemon-'));
  const settings = loadSettings({
    NODE_ENV: 'test',
    SVC_DATA_DIR: dataDir,
    SVC_SIGNING_KEY_FILE: inject('signingKeyFile'),
    SVCD_HTTP_PORT: '0',
    SVCD_MCP_PORT: '0',
    SVCD_GRPC_PORT: '0',
    SVCD_AUTH_MODE: 'dev_scopes',
    SVC_LOG_LEVEL: 'silent',
    SVC_DATABASE_POOL_SIZE: '8',
    SVC_DATABASE_CONNECT_TIMEOUT_MS: '15000',
    SVCD_SHUTDOWN_DRAIN_SECS: '5',
    // How full this machine's disk is is not what is tested.
    SVCD_DATA_DIR_MIN_FREE_RATIO: '0',
    // Whether the console was built on this machine is not what is tested.
    SVCD_CONSOLE_DIR: join(dataDir, 'console'),
    ...options.env,
  });
  const address = options.address ?? { ownerUrl: database.url };
  await createTenants(database, options.tenants ?? []);
  const log = options.log ?? makeLog(settings, 'daemon');
  const { app, url, mcpUrl, grpcAddress } = await openDaemon({ settings, address, log, metrics: new Metrics() });
  const as = (actor: Actor): DaemonCall => callerOf(url, actor);
  return {
    url,
    mcpUrl: mcpUrl ?? '',
    grpcAddress,
    app,
    database,
    dataDir,
    as,
    call: as({ scopes: ALL_SCOPES }),
    close: async () => {
      await app.close();
      if (!options.database) await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Tenants as an operator creates them, with keys that nobody needs. */
export const createTenants = (database: TestDatabase, tenants: readonly string[]): Promise<void> =>
  TenantsStore.using({ ownerUrl: database.url }, async (store) => {
    for (const tenant of tenants) await store.createTenant(tenant, 'team');
  });

const callerOf =
  (url: string, { scopes, passport, tenant, bearer }: Actor): DaemonCall =>
  (method, path, body, headers = {}) =>
    send(url, method, path, body, {
      ...(scopes === undefined ? {} : { 'x-svc-scopes': scopes }),
      ...(passport === undefined ? {} : { 'x-svc-passport-id': passport }),
      ...(tenant === undefined ? {} : { 'x-svc-tenant-id': tenant }),
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      ...headers,
    });
