import type { FastifyReply, FastifyRequest } from 'fastify';
import { LONG_REQUESTS } from '../../common/http/long-requests.js';
import type { Log } from '../../common/observability/log.js';
import type { Peer } from '../peer.js';
import type { DispatchedAnswer, RpcServer } from '../rpc.server.js';
import { LineExchange } from './line-exchange.js';
import type { Line } from './lines.js';
import { answerToLost, tooLong } from './refusals.js';
import { StreamHead } from './stream-head.js';

/** Maximum of lines of one stream in flight. */
const MAX_AT_ONCE = 16;
/**
 * How long the rest of a request whose answer has ended is read and thrown away, so that its sender gets to read the
 * answer.
 */
const GRACEFUL_CLOSE_MS = 2_000;

export interface StreamParts {
  server: Pick<RpcServer, 'dispatch'>;
  peer: Peer;
  log: Log;
  maxLineBytes: number;
  /** Called for each line that is accepted. */
  onLine: () => void;
}

/** One POST /stream whose body is lines: each is dispatched by itself. */
export class OpenStream {
  private readonly head: StreamHead;
  private readonly exchange: LineExchange;

  constructor(
    private readonly request: FastifyRequest,
    private readonly reply: FastifyReply,
    private readonly parts: StreamParts,
  ) {
    reply.hijack();
    this.head = new StreamHead(reply);
    this.exchange = new LineExchange({
      input: request.raw,
      output: reply.raw,
      maxLineBytes: parts.maxLineBytes,
      maxAtOnce: MAX_AT_ONCE,
      answer: (line, index) => this.answer(line, index),
      failed: (error, line) => this.failed(error, line),
      beforeNext: () => this.head.sent,
    });
  }

  /** Resolves when the stream has ended. Never rejects. */
  async run(): Promise<void> {
    const { socket } = this.request.raw;
    LONG_REQUESTS.add(socket);
    await this.exchange.run();
    this.head.send(200);
    this.reply.raw.end();
    await this.readRest();
    LONG_REQUESTS.delete(socket);
  }

  /** Takes no further line, and ends when those it has are answered. */
  stop(): void {
    this.exchange.stop();
  }

  /** Ends it when for so long nothing was in flight and no byte moved. */
  endWhenIdleFor(ms: number): void {
    const { underWay, lastActiveAt, isBlocked } = this.exchange;
    if (underWay > 0 || performance.now() - lastActiveAt < ms) return;
    if (isBlocked) this.reply.raw.destroy();
    else this.stop();
  }

  destroy(): void {
    this.reply.raw.destroy();
  }

  /** Idempotency key and approval token of the headers apply to one call: the first line. */
  private async answer(line: Line, index: number): Promise<string | undefined> {
    const isFirst = index === 0;
    if (isFirst) this.head.awaitAnswer();
    const { peer, server, maxLineBytes, onLine } = this.parts;
    onLine();
    const own = isFirst ? { ...peer } : { ...peer, idempotencyKey: undefined, approvalToken: undefined };
    const answer: DispatchedAnswer =
      'bytes' in line ? await server.dispatch(line.bytes, own) : { text: tooLong(maxLineBytes, peer.requestId) };
    const goesOn = (!isFirst || this.head.decide(answer)) && !answer.isUnauthorized;
    if (!goesOn) this.stop();
    return answer.text;
  }

  /** The head goes first: the next lines wait for it. */
  private failed(error: unknown, line: Line): string | undefined {
    const { log, peer } = this.parts;
    this.head.send(200);
    return answerToLost(line, error, { log, requestId: peer.requestId });
  }

  private async readRest(): Promise<void> {
    const { raw } = this.request;
    if (raw.complete || raw.destroyed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => raw.destroy(), GRACEFUL_CLOSE_MS);
    raw.once('end', resolve).once('close', resolve).resume();
    await promise;
    clearTimeout(timer);
  }
}
