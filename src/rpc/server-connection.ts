import type { OnApplicationShutdown } from '@nestjs/common';
import type { Histogram } from 'prom-client';
import { errors, Pool } from 'undici';
import type { Settings } from '../common/config/settings.js';
import type { Metrics } from '../common/observability/metrics.js';
import { problem } from '../common/problem/problem.js';
import type { ServerName } from './agent/servers.js';

/**
 * A server behind the tool did not answer. Nothing is known of the effect: a mutation is repeated with its idempotency
 * key.
 */
export class UpstreamUnavailable extends problem<{ upstream: ServerName; retryAfterSec: number }>(
  503,
  'UpstreamUnavailable',
  'The server behind the tool did not answer',
) {}

export interface ServerCall {
  method: string;
  /** Path and query, encoded. */
  path: string;
  headers: Record<string, string>;
  body?: string;
  /** Gives the call up: for what only reads. */
  signal?: AbortSignal;
}

export interface ServerAnswer {
  status: number;
  text: string;
  headers: Record<string, string | string[] | undefined>;
}

/** An idle connection is closed before the server (72 s) would close it during a call. */
const IDLE_MS = 30_000;
const CONNECT_MS = 3_000;

/** Where a server is, and what it is called in messages and metrics. */
interface Upstream {
  url: string;
  name: ServerName;
  title: string;
}

/**
 * Pooled keep-alive HTTP/1.1 connections to another server of this product. A call is sent once and never repeated
 * here: only its caller knows whether it may be. After an outage the next call reconnects.
 */
export abstract class ServerConnection implements OnApplicationShutdown {
  private readonly pool: Pool;
  private readonly prefix: string;
  private readonly seconds: Histogram;

  constructor(
    private readonly upstream: Upstream,
    { tools }: Settings,
    metrics: Metrics,
  ) {
    const { url, name, title } = upstream;
    const { origin, pathname } = new URL(url);
    this.prefix = pathname.replace(/\/$/, '');
    this.pool = new Pool(origin, {
      connections: tools.apiConnections,
      pipelining: 1,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      headersTimeout: tools.apiTimeoutMs,
      bodyTimeout: tools.apiTimeoutMs,
      connect: { timeout: CONNECT_MS },
    });
    this.seconds = metrics.histogram(`svc_${name}_call_seconds`, `Time the ${title} took for a call of a tool.`, [
      'status',
    ]);
    metrics.gauge(`svc_${name}_connections`, `Connections to the ${title}, by state.`, ['state'], (gauge) => {
      const { running, free, queued, pending } = this.pool.stats;
      gauge.set({ state: 'busy' }, running);
      gauge.set({ state: 'idle' }, free);
      gauge.set({ state: 'waiting' }, queued + pending);
    });
  }

  /** @throws UpstreamUnavailable when no answer came, whatever the reason */
  async call({ method, path, headers, body, signal }: ServerCall): Promise<ServerAnswer> {
    const startedAt = performance.now();
    let status = 'none';
    try {
      const answer = await this.pool.request({
        method,
        path: this.prefix + path,
        headers,
        body: body ?? null,
        signal: signal ?? null,
      });
      const text = await answer.body.text();
      status = String(answer.statusCode);
      return { status: answer.statusCode, text, headers: answer.headers };
    } catch (error) {
      const { name, title } = this.upstream;
      throw new UpstreamUnavailable({ upstream: name, retryAfterSec: 1 }, whatFailed(error, title));
    } finally {
      this.seconds.observe({ status }, (performance.now() - startedAt) / 1000);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.close();
  }
}

function whatFailed(error: unknown, title: string): string {
  if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError)
    return `The ${title} took too long. A repeat with the same idempotency key has no second effect`;
  if ((error as { code?: string }).code === 'ECONNREFUSED' || error instanceof errors.ConnectTimeoutError)
    return `The ${title} cannot be reached; nothing was sent. Try again`;
  return `The connection to the ${title} broke before the answer. A repeat with the same idempotency key has no second effect`;
}
