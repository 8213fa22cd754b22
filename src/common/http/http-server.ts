import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { BODY_LIMITS } from '../contract/route.decorator.js';
import type { Log } from '../observability/log.js';
import type { Metrics } from '../observability/metrics.js';
import { invalid, UnsupportedMediaType, type ValidationFailed } from '../problem/house-problems.js';
import type { Problem } from '../problem/problem.js';
import { TENANT_API_PROBLEMS } from '../problem/problem.filter.js';
import { sendProblem, type ProblemWriter } from '../problem/send-problem.js';
import { addressProblem, headProblem, refuseBytes, refuseTunnel } from './early-refusals.js';
import { isStorableText } from './headers.js';
import { isInherited, readJson } from './json-body.js';
import { endWithUnreadBody, isBehindTheLast } from './linger.js';
import { RAW_BODIES, readBytes } from './raw-body.js';
import { RequestLog, type RequestLine } from './request-log.js';
import { requestIdOf, traceparentOf } from './trace.js';

export interface HttpServerOptions {
  /** Largest body of a route that names no other bound, in bytes. */
  maxBodyBytes: number;
  /** Longest time a request may take to arrive, in milliseconds. */
  requestTimeoutMs: number;
  /** Looks at each request before anything else does, also where no route can be found for it. @returns why it is refused */
  refuse?: (request: FastifyRequest, reply: FastifyReply) => Problem | undefined;
  /** What else each request passes before its body is read: installed after the request has its ids. */
  onRequests?: (fastify: FastifyInstance) => void;
  /** How failures are written where no handler is reached; as the tenant API does unless said otherwise. */
  problems?: ProblemWriter;
  /** The line that is logged of every request. */
  requestLine?: RequestLine;
}

const TENANT_API_LINE: RequestLine = {
  message: 'request',
  membersOf: (request, ms) => ({ tenant: request?.caller?.tenantId, principal: request?.caller?.principal, ms }),
};

/** How much later than its limit a request that does not arrive may be cut. */
const MOST_LATE_MS = 5_000;

/** The Fastify server under Nest: bodies, ids, limits and one log line a request. Nest's own body parser must be off. */
export function makeHttpServer(options: HttpServerOptions, log: Log, metrics: Metrics): FastifyAdapter {
  const { onRequests, problems = TENANT_API_PROBLEMS } = options;
  const requests = RequestLog.of(options.requestLine ?? TENANT_API_LINE, log, metrics);
  const receive = reception(options, requests);
  const adapter = new FastifyAdapter({
    ...limitsOf(options),
    genReqId: (request: IncomingMessage) => requestIdOf(request.headers),
    routerOptions: { maxParamLength: 2048, ignoreTrailingSlash: false },
    exposeHeadRoutes: false,
    // An answer beats a refusal: what a kept connection still asks for while the server closes is done, and the connection ends with it.
    return503OnClosing: false,
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      if (isBehindTheLast(request)) return;
      const found = receive(request, reply) ?? addressProblem(error);
      endWithUnreadBody(request, reply);
      sendProblem(reply, found, problems, request.id);
    },
    clientErrorHandler: refuseBytes(problems, requests),
    logger: false,
  });
  // The first hook of all: Nest answers addresses that are none of a path before any that is added later.
  adapter.setOnRequestHook((request, reply, done) => {
    if (isBehindTheLast(request)) return;
    const found = receive(request, reply);
    if (found) sendProblem(reply, found, problems, request.id);
    else done();
  });
  const fastify = adapter.getInstance<FastifyInstance>();
  readBodies(fastify);
  onRequests?.(fastify);
  askForBodies(fastify);
  fastify.server.on('connect', refuseTunnel(problems, requests));
  fastify.addHook('preValidation', (request, _reply, done) => {
    done(findUnstorable('path', request.params) ?? findUnstorable('query', request.query));
  });
  endConnections(fastify, requests);
  endUnused(fastify);
  return adapter;
}

function limitsOf({ maxBodyBytes, requestTimeoutMs }: HttpServerOptions) {
  return {
    bodyLimit: maxBodyBytes,
    requestTimeout: requestTimeoutMs,
    http: {
      // Node looks every 30 seconds by itself, and knows no shorter limit than 60 seconds for the headers unless it is told one.
      headersTimeout: Math.min(60_000, requestTimeoutMs),
      connectionsCheckingInterval: Math.min(MOST_LATE_MS, requestTimeoutMs),
      requireHostHeader: false,
    },
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle' as const,
  };
}

/** What happens to every request first: it gets its ids and its line in the log, and may be refused. */
const reception =
  ({ refuse }: HttpServerOptions, requests: RequestLog) =>
  (request: FastifyRequest, reply: FastifyReply): Problem | undefined => {
    void reply.header('x-request-id', request.id).header('traceparent', traceparentOf(request));
    requests.begin(request, reply);
    return headProblem(request) ?? refuse?.(request, reply);
  };

function readBodies(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      checkCoding(request);
      const isRaw = RAW_BODIES.has(`${request.method} ${request.routeOptions.url}`);
      done(null, isRaw ? body : readJson(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
  readBytes(fastify);
  fastify.addHook('onRoute', (route) => {
    for (const method of [route.method].flat())
      route.bodyLimit = BODY_LIMITS.get(`${method} ${route.url}`) ?? route.bodyLimit;
  });
}

/** @throws UnsupportedMediaType for a body that was compressed */
function checkCoding({ headers }: FastifyRequest): void {
  const coding = headers['content-encoding'] ?? 'identity';
  if (coding.toLowerCase() !== 'identity')
    throw new UnsupportedMediaType({}, 'Send the body as it is: headers.content-encoding is not taken here');
}

/** A body that waits to be asked for (Expect: 100-continue) is, once its request has passed whatever refuses without reading it. */
function askForBodies(fastify: FastifyInstance): void {
  const waiting = new WeakSet<IncomingMessage>();
  fastify.server.on('checkContinue', (request: IncomingMessage, response) => {
    waiting.add(request);
    fastify.server.emit('request', request, response);
  });
  fastify.server.on('checkExpectation', (request, response) => fastify.server.emit('request', request, response));
  fastify.addHook('onRequest', ({ raw }, reply, done) => {
    if (waiting.delete(raw)) reply.raw.writeContinue();
    done();
  });
}

/** A connection goes on after an answer, unless the server stops or the client is still sending what nobody wants. */
function endConnections(fastify: FastifyInstance, requests: RequestLog): void {
  let isStopping = false;
  fastify.addHook('preClose', (done) => {
    isStopping = true;
    done();
  });
  fastify.addHook('onSend', (request, reply, _payload, done) => {
    if (isStopping && requests.isNewest(request)) void reply.header('connection', 'close');
    endWithUnreadBody(request, reply);
    done();
  });
}

/**
 * Connections on which nothing ever came end with the server: no answer is owed on them. Node.js does not count them among the idle ones, and
 * would wait for their first request.
 */
function endUnused(fastify: FastifyInstance): void {
  const open = new Set<Socket>();
  fastify.server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  fastify.addHook('preClose', (done) => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    done();
  });
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
