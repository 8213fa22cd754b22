import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TenantsStore } from '../../../src/common/keys/tenants.store.js';
import { caller, type TestTenant } from '../../kit/app.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { ServerProcess } from '../../kit/server-process.js';

/** The API and tool services in processes of their own, on one database with the tenant acme. */
export interface Fleet {
  database: TestDatabase;
  api: ServerProcess;
  tools: ServerProcess[];
  tenantId: string;
  apiKey: string;
  /** Calls of the API itself. */
  call: TestTenant['call'];
  close(): Promise<void>;
}

export async function startFleet(toolServices: number, env: Record<string, string> = {}): Promise<Fleet> {
  const database = await freshDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-fleet-'));
  const made = await TenantsStore.using({ ownerUrl: database.url }, (store) => store.createTenant('acme', 'team'));
  const { apiKey } = made!.key;
  const api = await ServerProcess.at(database.url, dataDir, env);
  const settings = { SVC_API_URL: api.url, SVC_TOOLS_RATE_LIMIT: '0', ...env };
  const tools: ServerProcess[] = [];
  for (let i = 0; i < toolServices; i += 1)
    tools.push(await ServerProcess.at(database.url, dataDir, settings, 'tools'));
  await api.start();
  for (const one of tools) await one.start();
  return {
    database,
    api,
    tools,
    tenantId: 'acme',
    apiKey,
    call: caller(api.url, 'acme', apiKey),
    close: async () => {
      for (const one of [...tools, api]) await one.stop('SIGTERM');
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** How one request went. Untyped where the tests assert on shapes they know. */
export interface Went {
  /** 0: the connection broke, and nothing was answered. */
  status: number;
  result?: any;
  error?: { code: number; message: string; data: any };
}

/** No request takes this long unless it hangs. */
const HANGS_MS = 60_000;

/** One call by POST /rpc. */
export async function callTool(
  url: string,
  { tenantId, apiKey }: Pick<Fleet, 'tenantId' | 'apiKey'>,
  method: string,
  params: object,
): Promise<Went> {
  try {
    const response = await fetch(`${url}/rpc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-tenant-id': tenantId, 'x-api-key': apiKey },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(HANGS_MS),
    });
    const { result, error } = (await response.json()) as Omit<Went, 'status'>;
    return { status: response.status, result, error };
  } catch (error) {
    if ((error as Error).name === 'TimeoutError') throw new Error(`${method} was not answered`, { cause: error });
    return { status: 0 };
  }
}

/** What is sent again: nothing is known of the effect, or the service says that it may be. */
export const isToRepeat = ({ status, error }: Went): boolean => status === 0 || error?.data.retryable === true;
