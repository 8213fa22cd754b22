import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { inject } from 'vitest';
import { openTools } from '../../src/apps/tools.app.js';
import { loadSettings } from '../../src/common/config/settings.js';
import { makeLog } from '../../src/common/observability/log.js';
import { Metrics } from '../../src/common/observability/metrics.js';
import type { TestApi } from './app.js';

export interface TestTools {
  url: string;
  app: NestFastifyApplication;
  close(): Promise<void>;
}

export interface TestToolsOptions {
  env?: Record<string, string>;
  /** Where the API is, when it is not the one given. */
  apiUrl?: string;
}

/** The real tools app on a free loopback port, in front of an API and on its database. Close it before the API. */
export async function startTools(
  api: Pick<TestApi, 'url' | 'database'>,
  options: TestToolsOptions = {},
): Promise<TestTools> {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-tools-'));
  const settings = loadSettings({
    NODE_ENV: 'test',
    SVC_DATA_DIR: dataDir,
    SVC_SIGNING_KEY_FILE: inject('signingKeyFile'),
    SVC_TOOLS_PORT: '0',
    SVC_API_URL: options.apiUrl ?? api.url,
    SVC_LOG_LEVEL: 'silent',
    SVC_DATABASE_POOL_SIZE: '8',
    // A loaded machine is slow to hand connections on; what is tested is not how slow.
    SVC_DATABASE_CONNECT_TIMEOUT_MS: '15000',
    SVC_SHUTDOWN_DRAIN_SECS: '5',
    ...options.env,
  });
  const address = { ownerUrl: api.database.url };
  const { app, url } = await openTools({ settings, address, log: makeLog(settings, 'tools'), metrics: new Metrics() });
  return {
    url,
    app,
    close: async () => {
      await app.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
