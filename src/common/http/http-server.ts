import type { IncomingMessage } from 'node:http';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Histogram } from 'prom-client';
import { BODY_LIMITS } from '../contract/route.decorator.js';
import type { Log } from '../observability/log.js';
import type { Metrics } from '../observability/metrics.js';
import { invalid, type ValidationFailed } from '../problem/house-problems.js';
import type { Problem } from '../problem/problem.js';
import { refuseAddress, refuseBytes } from './early-refusals.js';
import { isStorableText } from './headers.js';
import { isInherited, readJson } from './json-body.js';
import { RAW_BODIES } from './raw-body.js';
import { requestIdOf, traceparentOf } from './trace.js';

export interface HttpServerOptions {
  /** Largest body of a route that names no other bound, in bytes. */
  maxBodyBytes: number;
  /** Longest time a request may take to arrive, in milliseconds. */
  requestTimeoutMs: number;
  /** Looks at each request before anything else does. @returns why it is refused */
  refuse?: (request: FastifyRequest) => Problem | undefined;
}

/** How much later than its limit a request that does not arrive may be cut. */
const MOST_LATE_MS = 5_000;

/** The Fastify server under Nest: bodies, ids, limits and one log line a request. Nest's own body parser must be off. */
export function makeHttpServer(options: HttpServerOptions, log: Log, metrics: Metrics): FastifyAdapter {
  const { maxBodyBytes, requestTimeoutMs, refuse } = options;
  const adapter = new FastifyAdapter({
    bodyLimit: maxBodyBytes,
    requestTimeout: requestTimeoutMs,
    // Node looks every 30 seconds by itself, and knows no shorter limit than 60 seconds for the headers unless it is told one.
    http: {
      headersTimeout: Math.min(60_000, requestTimeoutMs),
      connectionsCheckingInterval: Math.min(MOST_LATE_MS, requestTimeoutMs),
    },
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    genReqId: (request: IncomingMessage) => requestIdOf(request.headers),
    routerOptions: { maxParamLength: 2048, ignoreTrailingSlash: false },
    exposeHeadRoutes: false,
    frameworkErrors: refuseAddress,
    clientErrorHandler: refuseBytes,
    logger: false,
  });
  const fastify = adapter.getInstance<FastifyInstance>();
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      const isRaw = RAW_BODIES.has(`${request.method} ${request.routeOptions.url}`);
      done(null, isRaw ? body : readJson(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
  fastify.addHook('onRoute', (route) => {
    for (const method of [route.method].flat())
      route.bodyLimit = BODY_LIMITS.get(`${method} ${route.url}`) ?? route.bodyLimit;
  });
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id).header('traceparent', traceparentOf(request));
    done(refuse?.(request));
  });
  fastify.addHook('preValidation', (request, _reply, done) => {
    done(findUnstorable('path', request.params) ?? findUnstorable('query', request.query));
  });
  recordRequests(fastify, log, requestSeconds(metrics));
  return adapter;
}

/** Text in path or query that PostgreSQL could not hold, or a name that every object has, as the problem to answer. */
function findUnstorable(where: string, values: unknown): ValidationFailed | undefined {
  for (const [name, value] of Object.entries(values ?? {})) {
    if (isInherited(name)) return invalid(`${where}.${name}`, 'is not a member of this request; leave it out');
    if ([value].flat().every((text) => typeof text !== 'string' || isStorableText(text))) continue;
    return invalid(`${where}.${name}`, 'holds a NUL character, which is not text');
  }
  return undefined;
}

const requestSeconds = (metrics: Metrics) =>
  metrics.histogram(
    'svc_http_request_seconds',
    "Time from a request's first byte to its answer's last, by route and status.",
    ['method', 'route', 'status'],
  );

function recordRequests(fastify: FastifyInstance, log: Log, seconds: Histogram<'method' | 'route' | 'status'>): void {
  // What is written here holds no secret, whatever came in: nothing to look for and remove.
  const requests = log.child({}, { redact: [] });
  fastify.addHook('onResponse', (request, reply, done) => {
    const route = routeOf(request);
    seconds.observe({ method: request.method, route, status: String(reply.statusCode) }, reply.elapsedTime / 1000);
    const line = {
      request_id: request.id,
      trace_id: String(reply.getHeader('traceparent')).slice(3, 35),
      tenant: request.caller?.tenantId,
      principal: request.caller?.principal,
      method: request.method,
      route,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
    };
    requests.info(line, 'request');
    done();
  });
}

/** The route's template, so that ids do not make new time series; one word for everything that matches none. */
const routeOf = (request: FastifyRequest): string => (request.is404 ? 'none' : (request.routeOptions.url ?? 'none'));
