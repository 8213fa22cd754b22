import { Inject, Injectable, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SETTINGS, type Settings } from '../../common/config/settings.js';
import { LOG, type Log } from '../../common/observability/log.js';
import { ClientAddresses } from '../../common/http/client-address.js';
import { findNoPlace, type StreamOwner } from '../../common/http/stream-places.rules.js';
import { routeOf } from '../../common/contract/contract.js';
import { Metrics } from '../../common/observability/metrics.js';
import { ServiceUnavailable, UnsupportedMediaType } from '../../common/problem/common-problems.js';
import type { Peer } from '../peer.js';
import { RpcServer } from '../rpc.server.js';
import { httpPeer } from './http-peer.js';
import { OpenStream } from './open-stream.js';
import { headOf, STREAM_HEADERS } from './stream-head.js';

export const STREAM_ADDRESS = 'POST /stream';
export const LINES_TYPE = 'application/x-ndjson';

/** A stream holds so much for as long as its client wants, and as no body does it counts in no budget. */
const MAX_LINE_BYTES = 1024 * 1024;

/** A stream on which for so long nothing is said or done is ended: its other end may be long gone. */
const IDLE_MS = 5 * 60_000;
const IDLE_LOOK_MS = 15_000;

/** Each may hold lines of some MiB. */
const PLACES = { all: 1_024, ofCaller: 512, keptForFew: 256, few: 32 };

/** Every open stream of this process. */
@Injectable()
export class StreamTransport implements OnModuleInit, BeforeApplicationShutdown {
  private readonly open = new Map<OpenStream, StreamOwner>();
  private readonly lines;
  private isClosing = false;
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly server: RpcServer,
    private readonly addresses: ClientAddresses,
    private readonly adapterHost: HttpAdapterHost,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOG) private readonly log: Log,
    metrics: Metrics,
  ) {
    metrics.gauge('svc_streams', 'Open streams (POST /stream).', [], (gauge) => gauge.set(this.open.size));
    this.lines = metrics.counter('svc_stream_lines_total', 'Lines that came in by POST /stream.');
  }

  onModuleInit(): void {
    this.adapterHost.httpAdapter
      .getInstance<FastifyInstance>()
      .addContentTypeParser(LINES_TYPE, (request, payload, done) => {
        const takesLines = routeOf(request)?.address === STREAM_ADDRESS;
        done(takesLines ? null : new UnsupportedMediaType({}, 'Lines go to POST /stream'), payload);
      });
    this.timer = setInterval(() => this.endIdle(), IDLE_LOOK_MS);
    this.timer.unref();
  }

  /**
   * Answers the request, at once or by and by.
   * @throws ServiceUnavailable when the process is stopping, or has as many streams as it keeps
   */
  async serve(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (this.isClosing) throw this.refusal(reply, 'This process is stopping; reconnect');
    const peer = httpPeer(request, reply, { transport: 'stream', addresses: this.addresses });
    if (Buffer.isBuffer(request.body)) return this.answerOne(request.body, peer, reply);
    const { principal = '', tenantId = '' } = request.caller ?? {};
    const owner = { principal, tenantId };
    const reason = findNoPlace([...this.open.values()], owner, PLACES);
    if (reason !== undefined) throw this.refusal(reply, reason);
    const stream = new OpenStream(request, reply, {
      server: this.server,
      ...{ peer, log: this.log },
      maxLineBytes: Math.min(this.settings.tools.maxBodyBytes, MAX_LINE_BYTES),
      onLine: () => this.lines.inc(),
    });
    this.open.set(stream, owner);
    stream
      .run()
      .catch((error: unknown) => this.log.error({ request_id: peer.requestId, error }, 'a stream broke off'))
      .finally(() => this.open.delete(stream));
  }

  /** Ends the streams on which nothing moves. */
  endIdle(longerThanMs = IDLE_MS): void {
    for (const stream of this.open.keys()) stream.endWhenIdleFor(longerThanMs);
  }

  /**
   * Takes no further line, answers those it has and ends every stream; after the drain's time also those whose other
   * end does not read. The listener waits for them.
   */
  beforeApplicationShutdown(): void {
    this.isClosing = true;
    clearInterval(this.timer);
    for (const stream of this.open.keys()) stream.stop();
    setTimeout(() => {
      for (const stream of this.open.keys()) stream.destroy();
    }, this.settings.process.drainSeconds * 1000).unref();
  }

  /** The rest of a request that may never end is not waited for. */
  private refusal(reply: FastifyReply, reason: string): ServiceUnavailable {
    void reply.header('connection', 'close');
    return new ServiceUnavailable({ retryAfterSec: 1 }, reason);
  }

  /** A body that is one payload, of whatever lines. */
  private async answerOne(payload: Buffer, peer: Peer, reply: FastifyReply): Promise<void> {
    this.lines.inc();
    const answer = await this.server.dispatch(payload, peer);
    const { status, headers } = headOf(answer);
    reply
      .status(status)
      .headers({ ...STREAM_HEADERS, ...headers })
      .send(Buffer.from(answer.text === undefined ? '' : `${answer.text}\n`));
  }
}
