import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inject } from 'vitest';
import { TenantsStore } from '../../src/common/keys/tenants.store.js';
import { caller, type TestTenant } from './app.js';
import { freshDatabase, type TestDatabase } from './database.js';
import { freePort } from './free-port.js';
import { PROGRAM } from './program.js';

type AppName = 'api' | 'tools' | 'daemon';

/** The settings of each app in addition to its port. */
const OWN: Record<AppName, (port: string) => Record<string, string>> = {
  api: (port) => ({ SVC_API_PORT: port }),
  tools: (port) => ({ SVC_TOOLS_PORT: port }),
  daemon: (port) => ({
    SVCD_HTTP_PORT: port,
    SVCD_MCP_PORT: '0',
    SVCD_GRPC_PORT: '0',
    SVCD_AUTH_MODE: 'dev_scopes',
    SVCD_DATA_DIR_MIN_FREE_RATIO: '0',
  }),
};

/**
 * The compiled `svc start api`, `tools` or `daemon`, in a process of its own that can be killed and started again on
 * the same port.
 */
export class ServerProcess {
  private child: ChildProcess | undefined;
  private said = '';

  private constructor(
    private readonly app: AppName,
    private readonly environment: Record<string, string>,
    readonly url: string,
    private readonly program: string,
  ) {}

  static async at(
    databaseUrl: string,
    dataDir: string,
    env: Record<string, string> = {},
    app: AppName = 'api',
    program = PROGRAM,
  ): Promise<ServerProcess> {
    const port = await freePort();
    const environment = {
      PATH: process.env['PATH'] ?? '',
      NODE_ENV: 'test',
      SVC_DATABASE_URL: databaseUrl,
      SVC_DATA_DIR: dataDir,
      SVC_SIGNING_KEY_FILE: inject('signingKeyFile'),
      ...OWN[app](String(port)),
      SVC_LOG_LEVEL: 'error',
      ...env,
    };
    return new ServerProcess(app, environment, `http://127.0.0.1:${port}`, program);
  }

  /** Starts it and waits until it is ready. */
  async start(withinMs = 30_000): Promise<void> {
    const child = spawn(process.execPath, [this.program, 'start', this.app], {
      env: this.environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (this.said += text));
    this.child = child;
    let last = 'nothing answered';
    for (let waited = 0; waited < withinMs; waited += 50) {
      if (child.exitCode !== null) throw new Error(`svc start ${this.app} ended with ${child.exitCode}:\n${this.said}`);
      const isReady = await fetch(`${this.url}/readyz`).then(
        async (answer) => {
          last = await answer.text();
          return answer.status === 200;
        },
        () => false,
      );
      if (isReady) return;
      await sleep(50);
    }
    throw new Error(`svc start ${this.app} did not become ready:\n${last}\n${this.said}`);
  }

  get pid(): number {
    return this.child!.pid!;
  }

  get hasEnded(): boolean {
    return !this.child || this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Everything it wrote, to either side. */
  get output(): string {
    return this.said;
  }

  /** SIGKILL, or SIGTERM for a drain; waits for the end. */
  async stop(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }
}

/** A fresh database with the tenant acme, and the API on it in a process of its own. */
export interface AcmeApi {
  database: TestDatabase;
  dataDir: string;
  api: ServerProcess;
  call: TestTenant['call'];
  apiKey: string;
  close(): Promise<void>;
}

export async function startAcme(): Promise<AcmeApi> {
  const database = await freshDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-server-process-'));
  const made = await TenantsStore.using({ ownerUrl: database.url }, (store) => store.createTenant('acme', 'team'));
  const api = await ServerProcess.at(database.url, dataDir);
  await api.start();
  return {
    database,
    dataDir,
    api,
    call: caller(api.url, 'acme', made!.key.apiKey),
    apiKey: made!.key.apiKey,
    close: async () => {
      await api.stop('SIGTERM');
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
