import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify';
import { boundWithin, fileBound } from '../config/body-bounds.js';
import type { Settings } from '../config/settings.js';
import { routeOf } from '../contract/contract.js';
import { SecretBytes } from '../fields/secret-bytes.js';
import type { Log } from '../observability/log.js';
import type { Metrics } from '../observability/metrics.js';
import { invalid, type ValidationFailed } from '../problem/common-problems.js';
import type { Problem } from '../problem/problem.js';
import { TENANT_API_PROBLEMS } from '../problem/problem.filter.js';
import { sendProblem, type ProblemWriter } from '../problem/send-problem.js';
import { ANSWER_HEADERS, TLS_HEADERS } from './answer-headers.js';
import { BodyBudget } from './body-budget.js';
import { addressProblem, headProblem, refuseBytes, refuseTunnel } from './early-refusals.js';
import { freeMemory } from './growing-bytes.js';
import { isStorableText } from './headers.js';
import { isInherited, readJson } from './json-body.js';
import { endWithUnreadBody, isPipelinedAfterClose } from './graceful-close.js';
import type { OwnHosts } from './own-hosts.js';
import { asRead } from '../tenancy/reading.js';
import { checkCoding, checkUnread, readChecked } from './checked-body.js';
import { readBytes } from './raw-body.js';
import { RequestLog, type RequestLine } from './request-log.js';
import { beginRequest, withinRequest } from './request-spans.js';
import { requestIdOf } from './trace.js';

export interface HttpServerOptions {
  /** Largest body of a route that names no other bound, in bytes. */
  maxBodyBytes: number;
  /** Longest time a request may take to arrive, in milliseconds. */
  requestTimeoutMs: number;
  /** Which names it answers to. */
  ownHosts: OwnHosts;
  /**
   * Looks at each request before anything else does, also where no route can be found for it.
   * @returns why it is refused
   */
  refuse?: (request: FastifyRequest, reply: FastifyReply) => Problem | undefined;
  /** How failures are written where no handler is reached; as the tenant API does unless said otherwise. */
  problems?: ProblemWriter;
  /** The line that is logged of every request. */
  requestLine?: RequestLine;
  /** Once aborted, every connection ends with its answer: the port is about to close. */
  stopping?: AbortSignal;
}

const TENANT_API_LINE: RequestLine = {
  message: 'request',
  membersOf: (request, ms) => ({ tenant: request?.caller?.tenantId, principal: request?.caller?.principal, ms }),
};

/** What a server has of its process. */
export interface ServerParts {
  settings: Settings;
  log: Log;
  metrics: Metrics;
}

/** How much later than its limit a request that does not arrive may be cut. */
const MAX_LATE_MS = 5_000;

/**
 * The Fastify server under Nest: bodies, ids, limits and one log line a request. Nest's own body parser must be off.
 */
export function makeHttpServer(options: HttpServerOptions, parts: ServerParts): FastifyAdapter {
  const { log, metrics } = parts;
  const { problems = TENANT_API_PROBLEMS } = options;
  const requests = RequestLog.of(options.requestLine ?? TENANT_API_LINE, log, metrics);
  const receive = reception(options, requests);
  const adapter = new FastifyAdapter({
    ...limitsOf(options, parts.settings),
    genReqId: (request: IncomingMessage) => requestIdOf(request.headers),
    routerOptions: { maxParamLength: 2048, ignoreTrailingSlash: false },
    // An answer beats a refusal: what a kept connection still asks for while the server closes is done, and the
    // connection ends with it.
    return503OnClosing: false,
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      if (isPipelinedAfterClose(request)) return;
      const found = receive(request, reply) ?? addressProblem(error);
      endWithUnreadBody(request, reply);
      sendProblem(reply, found, problems, request.id);
    },
    clientErrorHandler: refuseBytes(problems, requests),
    logger: false,
  });
  // The first hook of all: Nest answers addresses that are none of a path before any that is added later.
  adapter.setOnRequestHook((request, reply, done) => {
    if (isPipelinedAfterClose(request)) return;
    const found = receive(request, reply);
    if (found) sendProblem(reply, found, problems, request.id);
    else withinRequest(request, READS.has(request.method) ? () => asRead(done) : done);
  });
  const fastify = adapter.getInstance<FastifyInstance>();
  readBodies(fastify, BodyBudget.of(parts), parts.settings);
  askForBodies(fastify);
  fastify.server.on('connect', refuseTunnel(problems, requests));
  fastify.addHook('preValidation', (request, _reply, done) => {
    done(checkUnread(request) ?? findUnstorable('path', request.params) ?? findUnstorable('query', request.query));
  });
  endConnections(fastify, requests, options.stopping);
  fastify.addHook('onSend', headOfResponse);
  endUnused(fastify);
  return adapter;
}

const READS = new Set(['GET', 'HEAD']);

function limitsOf({ maxBodyBytes, requestTimeoutMs }: HttpServerOptions, settings: Settings) {
  return {
    bodyLimit: boundWithin(maxBodyBytes, settings),
    requestTimeout: requestTimeoutMs,
    http: {
      // By default Node checks every 30 seconds, and limits the headers to 60 seconds.
      headersTimeout: Math.min(60_000, requestTimeoutMs),
      connectionsCheckingInterval: Math.min(MAX_LATE_MS, requestTimeoutMs),
      requireHostHeader: false,
    },
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle' as const,
  };
}

/** What happens to every request first: it gets its ids and its line in the log, and may be refused. */
const reception =
  ({ ownHosts, refuse }: HttpServerOptions, requests: RequestLog) =>
  (request: FastifyRequest, reply: FastifyReply): Problem | undefined => {
    void reply
      .header('x-request-id', request.id)
      .header('traceparent', beginRequest(request, reply))
      .headers(ANSWER_HEADERS);
    if (ownHosts.isSecure(request)) void reply.headers(TLS_HEADERS);
    requests.begin(request, reply);
    return headProblem(request) ?? ownHosts.refuse(request) ?? refuse?.(request, reply);
  };

function readBodies(fastify: FastifyInstance, bodies: BodyBudget, settings: Settings): void {
  fastify.removeAllContentTypeParsers();
  bodies.install(fastify);
  fastify.addContentTypeParser('application/json', async (request: FastifyRequest, payload: IncomingMessage) => {
    const body = await readChecked(bodies, request, payload);
    checkCoding(request);
    if (request.routeOptions.config.body === 'bytes') return body;
    const route = routeOf(request);
    try {
      const value = readJson(body, route);
      if (route?.secrets.length) bodies.atEnd(request, () => eraseSecrets(value));
      return value;
    } finally {
      if (route?.secrets.length) body.fill(0);
      freeMemory(body);
    }
  });
  readBytes(fastify, bodies);
  fastify.addHook('onRoute', (route) => {
    const isFile = route.config?.body === 'file';
    const own = isFile ? fileBound(settings.api.maxFileMib) : route.config?.route?.bodyLimit;
    if (own !== undefined) route.bodyLimit = boundWithin(own, settings);
  });
}

function eraseSecrets(body: unknown): void {
  for (const value of Object.values(body ?? {})) if (value instanceof SecretBytes) value.erase();
}

/**
 * Sends 100 Continue to a client that waits for it, once its request has passed all checks that do not read the body:
 * those of the guards are hooks of onRequest.
 */
function askForBodies(fastify: FastifyInstance): void {
  const waiting = new WeakSet<IncomingMessage>();
  fastify.server.on('checkContinue', (request: IncomingMessage, response) => {
    waiting.add(request);
    fastify.server.emit('request', request, response);
  });
  fastify.server.on('checkExpectation', (request, response) => fastify.server.emit('request', request, response));
  fastify.addHook('preParsing', ({ raw }, reply, _payload, done) => {
    if (waiting.delete(raw)) reply.raw.writeContinue();
    done();
  });
}

/**
 * A connection goes on after an answer, unless the server stops or the client is still sending a body that is not read.
 */
function endConnections(fastify: FastifyInstance, requests: RequestLog, stopping?: AbortSignal): void {
  let isClosing = false;
  fastify.addHook('preClose', (done) => {
    isClosing = true;
    done();
  });
  fastify.addHook('onSend', (request, reply, _payload, done) => {
    if ((isClosing || stopping?.aborted) && requests.isNewest(request)) void reply.header('connection', 'close');
    endWithUnreadBody(request, reply);
    done();
  });
}

/**
 * Connections on which nothing ever came end with the server: no answer is owed on them. Node.js does not count them
 * among the idle ones, and would wait for their first request.
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

/** Fastify measures what it leaves out of an answer to HEAD, and knows no length of a Response. */
const headOfResponse: onSendHookHandler = ({ method }, reply, payload, done) => {
  if (method !== 'HEAD' || !(payload instanceof Response)) return done(null, payload);
  void reply.status(payload.status).headers(Object.fromEntries(payload.headers));
  payload.arrayBuffer().then((bytes) => done(null, Buffer.from(bytes)), done);
};

/** Text in path or query that PostgreSQL could not hold, or a name that every object has, as the problem to answer. */
function findUnstorable(where: string, values: unknown): ValidationFailed | undefined {
  for (const [name, value] of Object.entries(values ?? {})) {
    if (isInherited(name)) return invalid(`${where}.${name}`, 'is not a member of this request; leave it out');
    if ([value].flat().every((text) => typeof text !== 'string' || isStorableText(text))) continue;
    return invalid(`${where}.${name}`, 'holds a NUL character, which is not text');
  }
  return undefined;
}
