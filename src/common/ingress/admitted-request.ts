import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequestTimeout } from '../problem/common-problems.js';
import { ClientGone, RequestDeadline, ServerStops, setDeadline } from './deadline.js';

/** What becomes of a request that was let in. */
export interface AdmittedRequestParts {
  /** Until when its answer must have begun, in milliseconds from now. */
  timeoutMs: number;
  /** Its answer may last: it gives its place up when that begins. */
  streams: boolean;
  /** Its time is over and nothing was answered. */
  answerLate: (reply: FastifyReply, found: RequestTimeout) => void;
  /** It takes no place any more. Called once. */
  release: () => void;
}

/** One request from when it is let in until its answer is over. */
export class AdmittedRequest {
  private readonly deadline = new RequestDeadline();
  private readonly timer: NodeJS.Timeout;
  private isReleased = false;

  constructor(
    request: FastifyRequest,
    private readonly reply: FastifyReply,
    private readonly parts: AdmittedRequestParts,
  ) {
    setDeadline(request, this.deadline);
    this.timer = setTimeout(() => this.timeOut(), parts.timeoutMs);
    if (parts.streams) this.releaseWhenBegun();
  }

  /** Its answer is written, or its connection is gone. */
  end(): void {
    clearTimeout(this.timer);
    if (!this.reply.raw.writableEnded) this.deadline.pass(new ClientGone('the client has gone'));
    this.release();
  }

  /** The server stops: an answer that lasts is ended where it is. */
  stop(): void {
    const { raw } = this.reply;
    if (!this.parts.streams || !raw.headersSent) return;
    this.deadline.pass(new ServerStops('the server stops'));
    const { socket } = raw;
    // What its source still has to say may follow; then it ends, whether or not the source heard.
    setImmediate(() => raw.end(() => socket?.destroySoon()));
  }

  private timeOut(): void {
    const { reply, parts } = this;
    if (reply.raw.headersSent) return;
    const found = new RequestTimeout({}, `There was no answer within ${parts.timeoutMs / 1000} s; send less at once`);
    this.deadline.pass(found);
    if (!reply.sent) parts.answerLate(reply, found);
  }

  private release(): void {
    if (this.isReleased) return;
    this.isReleased = true;
    this.parts.release();
  }

  /** Whatever sends the head of the answer, Fastify or a handler of its own, goes by writeHead. */
  private releaseWhenBegun(): void {
    const { raw } = this.reply;
    const writeHead = raw.writeHead.bind(raw) as (...args: unknown[]) => typeof raw;
    raw.writeHead = (...args: unknown[]) => {
      this.release();
      return writeHead(...args);
    };
  }
}
