import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { errors, Pool } from 'undici';
import { SETTINGS, type Settings } from '../common/config/settings.js';
import { apiUrlOf } from '../common/config/api-url.js';
import { Metrics } from '../common/observability/metrics.js';
import { problem } from '../common/problem/problem.js';

/**
 * The API behind the tool service did not answer. Nothing is known of the effect: a mutation is repeated with its
 * idempotency key.
 */
class UpstreamUnavailable extends problem<{ upstream: 'api'; retryAfterSec: number }>(
  503,
  'UpstreamUnavailable',
  'The API behind the tool service did not answer',
) {}

export interface ApiCall {
  method: string;
  /** Path and query, encoded. */
  path: string;
  headers: Record<string, string>;
  body?: string;
  /** Gives the call up: for what only reads. */
  signal?: AbortSignal;
}

export interface ApiAnswer {
  status: number;
  text: string;
  headers: Record<string, string | string[] | undefined>;
}

/** An idle connection is closed before the API (72 s) would close it during a call. */
const IDLE_MS = 30_000;
const CONNECT_MS = 3_000;

/**
 * Pooled keep-alive HTTP/1.1 connections to the API. A call is sent once and never repeated here: only its caller knows
 * whether it may be. After an outage the next call reconnects.
 */
@Injectable()
export class ApiConnection implements OnApplicationShutdown {
  private readonly pool: Pool;
  private readonly prefix: string;
  private readonly seconds;

  constructor(@Inject(SETTINGS) settings: Settings, metrics: Metrics) {
    const { tools } = settings;
    const { origin, pathname } = new URL(apiUrlOf(settings));
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
    this.seconds = metrics.histogram('svc_api_call_seconds', 'Time the API took for a call of the tool service.', [
      'status',
    ]);
    metrics.gauge('svc_api_connections', 'Connections to the API, by state.', ['state'], (gauge) => {
      const { running, free, queued, pending } = this.pool.stats;
      gauge.set({ state: 'busy' }, running);
      gauge.set({ state: 'idle' }, free);
      gauge.set({ state: 'waiting' }, queued + pending);
    });
  }

  /** @throws UpstreamUnavailable when no answer came, whatever the reason */
  async call({ method, path, headers, body, signal }: ApiCall): Promise<ApiAnswer> {
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
      throw new UpstreamUnavailable({ upstream: 'api', retryAfterSec: 1 }, whatFailed(error));
    } finally {
      this.seconds.observe({ status }, (performance.now() - startedAt) / 1000);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.close();
  }
}

function whatFailed(error: unknown): string {
  if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError)
    return 'The API took too long. A repeat with the same idempotency key has no second effect';
  if ((error as { code?: string }).code === 'ECONNREFUSED' || error instanceof errors.ConnectTimeoutError)
    return 'The API cannot be reached; nothing was sent. Try again';
  return 'The connection to the API broke before the answer. A repeat with the same idempotency key has no second effect';
}
