import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { DispatchedAnswer } from '../rpc.server.js';

/** How long the head of the answer waits for a first line: some clients send none before they have seen it. */
const SILENCE_MS = 100;
/** How long it waits for the answer to the first line, which may turn out to be its status. */
const FIRST_ANSWER_MS = 1_000;

/**
 * Status and headers of a stream. They are held back for the first line, for a limited time, so that a used-up rate
 * window can still be answered with 429 and retry-after (D27), and a credential that has just ended with 401.
 */
export class StreamHead {
  /** Resolves when it is sent. */
  readonly sent: Promise<void>;
  private readonly tellSent: () => void;
  private timer?: NodeJS.Timeout;

  constructor(private readonly reply: FastifyReply) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.sent = promise;
    this.tellSent = resolve;
    this.sendAfter(SILENCE_MS);
  }

  /** The first line is here. */
  awaitAnswer(): void {
    this.sendAfter(FIRST_ANSWER_MS);
  }

  /** @returns whether the stream goes on; not when the answer to its first line is its status */
  decide(first: DispatchedAnswer): boolean {
    const { status, headers } = headOf(first);
    return !this.send(status, headers) || status === 200;
  }

  /** @returns false when it was sent before */
  send(status: number, headers: Record<string, string> = {}): boolean {
    clearTimeout(this.timer);
    const { raw } = this.reply;
    if (raw.headersSent) return false;
    if (!raw.destroyed) {
      raw.writeHead(status, { ...(this.reply.getHeaders() as OutgoingHttpHeaders), ...STREAM_HEADERS, ...headers });
      raw.flushHeaders();
    }
    this.tellSent();
    return true;
  }

  private sendAfter(ms: number): void {
    if (this.reply.raw.headersSent) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.send(200), ms);
  }
}

/** Nothing on the way may keep or gather what is answered. */
export const STREAM_HEADERS = {
  'content-type': 'application/x-ndjson',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};

/**
 * The status of what begins with this answer: errors of calls are inside, but for those that are of the request (D27).
 */
export function headOf({ isUnauthorized, rateLimitedSec }: DispatchedAnswer): {
  status: number;
  headers: Record<string, string>;
} {
  if (isUnauthorized) return { status: 401, headers: {} };
  if (rateLimitedSec === undefined) return { status: 200, headers: {} };
  return { status: 429, headers: { 'retry-after': String(rateLimitedSec) } };
}
