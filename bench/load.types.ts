import type { Lane } from '../src/common/client/api-replies.js';

/** How long and how hard one measurement drives. */
export interface LoopOptions {
  /** Requests in flight, each on a kept connection of its own. */
  clients: number;
  /** Requests made before the clock runs, for at most half a minute. */
  warmUpRequests: number;
  /** The measurement ends after this time, */
  seconds: number;
  /** or after this many requests. */
  maxRequests: number;
}

/** One request of the load, made before the clock runs. */
export interface PlannedRequest {
  headers: Record<string, string>;
  body: string;
}

/**
 * The plan of a load generator. It runs through the requests in turn, over and over, until the time or the count is up.
 */
export interface LoadPlan extends LoopOptions {
  url: string;
  requests: PlannedRequest[];
  /** What a good response begins with, where its status does not show it: JSON-RPC answers 200 with an error inside. */
  answerBegins?: string;
}

/** The same, for searching in the measuring process itself. */
export interface InProcessPlan extends LoopOptions {
  /**
   * `service`: the module's service, with its database; `engine`: analysis and ranking over segments in memory, nothing
   * else.
   */
  depth: 'service' | 'engine';
  tenantId: string;
  queries: readonly string[];
  limit: number;
  lane: Lane;
}

/**
 * What came of it. Latencies are in milliseconds; `failed` counts answers other than good ones, which are not among the
 * others.
 */
export interface LoadResult {
  count: number;
  failed: number;
  perSecond: number;
  p50: number;
  p95: number;
  p99: number;
  /** The latency of each good answer, in the order of their ends, to a microsecond. */
  samples: number[];
}
