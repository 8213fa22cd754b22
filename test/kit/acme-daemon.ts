import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { send, type Answer } from './app.js';
import { ALL_SCOPES, type DaemonCall } from './daemon.js';
import { freshDatabase, type TestDatabase } from './database.js';
import { ServerProcess } from './server-process.js';

/** A fresh database, and the daemon on it in a process of its own that is killed and started again. */
export interface AcmeDaemon {
  database: TestDatabase;
  dataDir: string;
  daemon: ServerProcess;
  /** In the tenant `acme`, with the scopes of `ALL_SCOPES`. */
  call: DaemonCall;
  /** The same; undefined where the daemon died before it answered. */
  attempt(method: string, path: string, body?: unknown): Promise<Answer | undefined>;
  close(): Promise<void>;
}

export async function startAcmeDaemon(env: Record<string, string> = {}): Promise<AcmeDaemon> {
  const database = await freshDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-acme-daemon-'));
  const daemon = await ServerProcess.at(database.url, dataDir, env, 'daemon');
  await daemon.start();
  const own = { 'x-svc-scopes': ALL_SCOPES, 'x-svc-tenant-id': 'acme' };
  const call: DaemonCall = (method, path, body, headers) =>
    send(daemon.url, method, path, body, { ...own, ...headers });
  return {
    database,
    dataDir,
    daemon,
    call,
    attempt: (method, path, body) => call(method, path, body).catch(() => undefined),
    close: async () => {
      await daemon.stop('SIGKILL');
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
