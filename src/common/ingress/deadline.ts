import type { IncomingMessage } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** Aborted when nobody waits for the answer any more; of the daemon's requests alone. */
    readonly deadline: AbortSignal;
  }
}

/** The client closed its connection before the answer was whole. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}
/** The server stops: an answer that lasts ends here. */
export class ServerStops extends Error {
  override readonly name = 'ServerStops';
}

/**
 * The end of the time in which a request can be answered. The signal is made when it is first asked for: few handlers
 * do.
 */
export class RequestDeadline {
  private controller: AbortController | undefined;
  private reason: Error | undefined;

  /** @param reason a RequestTimeout, ClientGone or ServerStops */
  pass(reason: Error): void {
    this.reason ??= reason;
    this.controller?.abort(this.reason);
  }

  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.reason && !this.controller.signal.aborted) this.controller.abort(this.reason);
    return this.controller.signal;
  }
}

const DEADLINES = new WeakMap<IncomingMessage, RequestDeadline>();

export const setDeadline = ({ raw }: FastifyRequest, deadline: RequestDeadline): void =>
  void DEADLINES.set(raw, deadline);

/** The signal of a request; one that never aborts where it came by no listener with a time limit. */
const deadlineOf = ({ raw }: FastifyRequest): AbortSignal => (DEADLINES.get(raw) ?? new RequestDeadline()).signal;

/**
 * An AbortSignal: the answer is wanted no more, because the time limit has passed and the client was answered 408,
 * because the client has gone, or because the server stops and this answer lasts. What a handler still returns is
 * thrown away.
 */
export const Deadline = createParamDecorator((_: unknown, context: ExecutionContext): AbortSignal =>
  deadlineOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
