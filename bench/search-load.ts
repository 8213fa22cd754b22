import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ApiClient, type ApiAddress } from '../src/common/client/api-client.js';
import type { Lane } from '../src/common/client/api-replies.js';
import { runChild } from './child.js';
import type { InProcessPlan, LoadPlan, LoadResult, LoopOptions, PlannedRequest } from './load.types.js';

export const LIMIT = 10;
/** No measurement makes more requests, however long it may last. */
export const MAX_REQUESTS = 2_000_000;

/** What one measurement over HTTP does. */
export interface HttpLoad extends LoopOptions {
  lane: Lane;
  queries: readonly string[];
  /** The requests are sent as these tenants in turn. */
  addresses: readonly ApiAddress[];
}

/** Retrieval over HTTP. */
export function measureHttp({ lane, queries, addresses, ...loop }: HttpLoad): Promise<LoadResult> {
  const requests = queries.map((query, i) =>
    requestAs(addresses[i % addresses.length]!, { query, limit: LIMIT, lane }),
  );
  return runChild<LoadPlan, LoadResult>('load-generator', {
    url: `${addresses[0]!.url}/v1/retrieve`,
    requests,
    ...loop,
  });
}

/**
 * The same searches as calls of the tool query_vault.
 * @param toolsUrl origin of the tool service in front of that server
 */
export function measureTool({ lane, queries, addresses, ...loop }: HttpLoad, toolsUrl: string): Promise<LoadResult> {
  const requests = queries.map((query, i) => {
    const params = { query, limit: LIMIT, lane };
    return requestAs(addresses[i % addresses.length]!, { jsonrpc: '2.0', id: 1, method: 'query_vault', params });
  });
  return runChild<LoadPlan, LoadResult>('load-generator', {
    url: `${toolsUrl}/rpc`,
    requests,
    answerBegins: '{"jsonrpc":"2.0","id":1,"result":',
    ...loop,
  });
}

export function requestAs({ tenantId, apiKey }: ApiAddress, body: object): PlannedRequest {
  const json = JSON.stringify(body);
  const headers = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(json)) };
  return { headers: { ...headers, 'x-tenant-id': tenantId, 'x-api-key': apiKey }, body: json };
}

/** The limit over HTTP: the answer to the first query, from a Fastify route that does nothing else. */
export async function measureBareHttp(load: HttpLoad): Promise<LoadResult> {
  const request = { query: load.queries[0], limit: LIMIT, lane: load.lane };
  const answer = await new ApiClient(load.addresses[0]!).post<object>('/v1/retrieve', request);
  const child = fork(fileURLToPath(new URL('./bare-server.js', import.meta.url)), { execArgv: [] });
  try {
    const listening = new Promise<string>((resolve, reject) => {
      child.once('message', (message: { url: string }) => resolve(message.url));
      child.once('exit', () => reject(new Error('the bare server ended')));
    });
    child.send(answer);
    const url = await listening;
    const addresses = load.addresses.map((address) => ({ ...address, url }));
    return await measureHttp({ ...load, addresses });
  } finally {
    child.kill();
  }
}

/** The limit without HTTP: the same search called in a process of its own, on the same database. */
export function measureInProcess(dataDir: string, plan: InProcessPlan): Promise<LoadResult> {
  return runChild<InProcessPlan, LoadResult>('in-process-load', plan, {
    SVC_DATA_DIR: dataDir,
    SVC_DATABASE_URL: '',
    SVC_API_PORT: '0',
    SVC_JOBS: '0',
    SVC_LOG_LEVEL: 'error',
  });
}
