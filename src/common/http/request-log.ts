import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Histogram } from 'prom-client';
import type { Log } from '../observability/log.js';
import type { Metrics } from '../observability/metrics.js';
import { endRequest } from './request-spans.js';

/**
 * One log line per request: its message, and its members in addition to the request's ids, method, route and status.
 */
export interface RequestLine {
  message: string;
  membersOf: (request: FastifyRequest | undefined, milliseconds: number) => Record<string, unknown>;
}

/** A request that is not over. */
export interface OpenRequest {
  request: FastifyRequest;
  reply: FastifyReply;
  startedAt: number;
  /** The whole answer was handed on. */
  isWhole: boolean;
  /** The status that was written past its reply, because its bytes could not be read to their end. */
  cutWith?: number;
}

/** What is known of bytes that never became a request. */
export interface UnreadRequest {
  requestId: string;
  traceparent: string;
  status: number;
}

/** As nginx has it: the client went away before there was an answer. */
const CLIENT_GONE = 499;

/** Logs every request once, when its answer is written or its connection is gone. */
export class RequestLog {
  private readonly lines: Log;
  private readonly open = new WeakMap<Socket, Set<OpenRequest>>();
  /** The request of a connection whose answer ended last. */
  private readonly last = new WeakMap<Socket, FastifyRequest>();

  constructor(
    private readonly line: RequestLine,
    log: Log,
    private readonly seconds: Histogram<'method' | 'route' | 'status'>,
  ) {
    // What is written here holds no secret, whatever came in: nothing to look for and remove.
    this.lines = log.child({}, { redact: [] });
  }

  static of(line: RequestLine, log: Log, metrics: Metrics): RequestLog {
    const seconds = metrics.histogram(
      'svc_http_request_seconds',
      "Time from a request's first byte to its answer's last, by route and status.",
      ['method', 'route', 'status'],
    );
    return new RequestLog(line, log, seconds);
  }

  /** From here on the request is logged when it is over. */
  begin(request: FastifyRequest, reply: FastifyReply): void {
    const { socket } = request.raw;
    const entry: OpenRequest = { request, reply, startedAt: performance.now(), isWhole: false };
    const entries = this.open.get(socket) ?? new Set();
    this.open.set(socket, entries.add(entry));
    reply.raw.once('finish', () => (entry.isWhole = true));
    reply.raw.once('close', () => {
      entries.delete(entry);
      this.last.set(socket, request);
      this.write(entry);
    });
  }

  /** The requests of a connection that are not over, in their order. */
  openOn(socket: Socket): OpenRequest[] {
    return [...(this.open.get(socket) ?? [])];
  }

  /** Whether no other request came after it on its connection. */
  isNewest(request: FastifyRequest): boolean {
    return this.openOn(request.raw.socket).at(-1)?.request === request;
  }

  /** Whether what comes on a connection still belongs to a request that was answered before it was whole. */
  isReadingRest(socket: Socket): boolean {
    return this.last.get(socket)?.raw.complete === false;
  }

  logUnread({ requestId, traceparent, status }: UnreadRequest): void {
    this.lines.info(
      {
        request_id: requestId,
        trace_id: traceIdOf(traceparent),
        method: 'none',
        route: 'none',
        status,
        ...this.line.membersOf(undefined, 0),
      },
      this.line.message,
    );
  }

  private write({ request, reply, startedAt, isWhole, cutWith }: OpenRequest): void {
    const milliseconds = performance.now() - startedAt;
    const { headersSent, statusCode } = reply.raw;
    const status = cutWith ?? (headersSent ? statusCode : CLIENT_GONE);
    const route = routeOf(request);
    endRequest(request, { route, status });
    this.seconds.observe({ method: request.method, route, status: String(status) }, milliseconds / 1000);
    this.lines.info(
      {
        request_id: request.id,
        trace_id: traceIdOf(String(reply.getHeader('traceparent'))),
        method: request.method,
        route,
        status,
        ...(isWhole || cutWith ? {} : { aborted: true }),
        ...this.line.membersOf(request, Math.round(milliseconds * 10) / 10),
      },
      this.line.message,
    );
  }
}

const traceIdOf = (traceparent: string): string => traceparent.slice(3, 35);

/** The route's template, so that ids do not make new time series; one word for everything that matches none. */
const routeOf = (request: FastifyRequest): string => (request.is404 ? 'none' : (request.routeOptions.url ?? 'none'));
