import { eventsOf, type StreamedEvent, type StreamOptions } from './events.js';
import { createClient, createConfig } from './generated/api/client/index.js';
import { TenantApi } from './generated/api/sdk.gen.js';
import { MemoryDaemon } from './generated/daemon/sdk.gen.js';
import { KEYED } from './generated/keyed.gen.js';
import { ToolService } from './generated/tools/sdk.gen.js';
import { SvcProblem } from './problem.js';
import { KEY, makeSending, sleep, type RetryOptions } from './sending.js';
import { ToolFailure } from './tool-failure.js';

export interface SvcOptions {
  /** Where the tenant API is: an origin, with a path where it is behind one. */
  api?: string;
  /** Where the memory daemon is. */
  daemon?: string;
  /** Where the tool service is. */
  tools?: string;
  /** The tenant, with its API key. */
  tenant?: string;
  key?: string;
  /** A bearer: the session token of an agent, or a token of the daemon's mode. */
  token?: string;
  /** Further headers of every request, such as x-svc-session-id. */
  headers?: Record<string, string>;
  retry?: RetryOptions;
  /** What sends the requests, in place of the global fetch. */
  fetch?: typeof globalThis.fetch;
}

/** What happened in a tenant, as the streams of the daemon report it. */
export interface TenantEvent {
  id: string;
  type: string;
  subject: string;
  time: string;
  tenant_id: string;
  data: Record<string, unknown>;
}

/** Where `svc start` binds them. */
const ADDRESSES = {
  api: 'http://127.0.0.1:8090',
  daemon: 'http://127.0.0.1:14800',
  tools: 'http://127.0.0.1:8091',
};

/** All three servers as one caller. Methods return what was answered, and throw {@link SvcProblem}. */
export class SvcClient {
  /** Each route of the tenant API as a method, by its operationId. */
  readonly api: TenantApi;
  /** Each route of the memory daemon. */
  readonly daemon: MemoryDaemon;
  /** Each route of the tool service; {@link callTool} calls its tools. */
  readonly tools: ToolService;
  readonly tenant: string;

  constructor(private readonly options: SvcOptions) {
    this.tenant = options.tenant ?? 'default';
    this.api = new TenantApi({ client: this.clientOf('api') });
    this.daemon = new MemoryDaemon({ client: this.clientOf('daemon') });
    this.tools = new ToolService({ client: this.clientOf('tools') });
  }

  /** By SVC_API_URL, SVC_DAEMON_URL, SVC_TOOLS_URL, SVC_TENANT_ID, SVC_API_KEY and SVC_TOKEN. */
  static fromEnvironment(more: SvcOptions = {}): SvcClient {
    const { env = {} } = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process ?? {};
    const named = {
      ...{ api: env.SVC_API_URL, daemon: env.SVC_DAEMON_URL, tools: env.SVC_TOOLS_URL },
      ...{ tenant: env.SVC_TENANT_ID, key: env.SVC_API_KEY, token: env.SVC_TOKEN },
    };
    const given = Object.entries(named).filter(([, value]) => value !== undefined);
    return new SvcClient({ ...(Object.fromEntries(given) as SvcOptions), ...more });
  }

  /** Calls a tool and returns its result. @throws ToolFailure for an error of JSON-RPC */
  async callTool(name: string, parameters: Record<string, unknown> = {}): Promise<unknown> {
    const body = { jsonrpc: '2.0' as const, id: 1, method: name, params: parameters };
    // What takes a key among its parameters has its effect once by it. Of other tools this is not known.
    const { idempotency_key: key } = parameters;
    const sent = typeof key === 'string' && { headers: { [KEY]: key }, fetch: this.sendingTo('tools', true) };
    const answer = await this.tools.callTool({ body, ...sent });
    const { result, error } = (Array.isArray(answer) ? answer[0] : answer) as { result?: unknown; error?: object };
    if (error) throw new ToolFailure(error);
    return result;
  }

  /** What happens in the tenant from now on, or after `lastEventId`. */
  followEvents(options: StreamOptions = {}): AsyncGenerator<StreamedEvent<TenantEvent>, void, void> {
    return this.follow('/v1/events/stream', options);
  }

  /** The same, with the filters of GET /v1/activity. */
  followActivity(
    options: StreamOptions & { query?: Record<string, string> } = {},
  ): AsyncGenerator<StreamedEvent<TenantEvent>, void, void> {
    return this.follow(`/v1/activity/stream?${new URLSearchParams(options.query).toString()}`, options);
  }

  /** Waits for so many milliseconds. */
  readonly wait = (ms: number, signal?: AbortSignal): Promise<void> => sleep(ms, signal);

  private follow(address: string, options: StreamOptions) {
    const base = this.addressOf('daemon');
    const send = this.options.fetch ?? globalThis.fetch;
    const headers = { ...this.headers(), accept: 'text/event-stream' };
    return eventsOf<TenantEvent>(
      (more, signal) => send(base + address, { headers: { ...headers, ...more }, ...(signal && { signal }) }),
      options,
      this.options.retry?.maxWaitMs,
    );
  }

  private headers(): Record<string, string> {
    const { key, token, headers } = this.options;
    const credential = token === undefined ? undefined : { authorization: `Bearer ${token}` };
    return {
      ...(key === undefined ? {} : { 'x-tenant-id': this.tenant, 'x-api-key': key }),
      ...credential,
      ...headers,
    };
  }

  /** Without a slash at its end. */
  private addressOf(server: keyof typeof ADDRESSES): string {
    return (this.options[server] ?? ADDRESSES[server]).replace(/\/+$/, '');
  }

  private sendingTo(server: keyof typeof ADDRESSES, isOnceByKey: boolean): typeof globalThis.fetch {
    const { retry, fetch } = this.options;
    const { pathname } = new URL(this.addressOf(server));
    const above = pathname === '/' ? 0 : pathname.length;
    const keyed = KEYED[server].map((one) => new RegExp(one));
    const takesKey = (method: string, path: string) => keyed.some((one) => one.test(`${method} ${path.slice(above)}`));
    return makeSending({ ...retry, ...(fetch && { fetch }), takesKey, isOnceByKey });
  }

  private clientOf(server: keyof typeof ADDRESSES) {
    const client = createClient(
      createConfig({
        baseUrl: this.addressOf(server),
        headers: this.headers(),
        throwOnError: true,
        responseStyle: 'data',
        // The tools of the memory daemon take no key: what they change they change again.
        fetch: this.sendingTo(server, server !== 'tools'),
      }),
    );
    client.interceptors.error.use((error, response, _, { signal }) => {
      // The caller ended the call, as fetch says it.
      if (signal?.aborted && (error === signal.reason || error instanceof Error)) return error;
      return response ? SvcProblem.ofAnswer(response, error) : SvcProblem.ofSilence(error);
    });
    return client;
  }
}
