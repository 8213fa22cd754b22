import { setTimeout as sleep } from 'node:timers/promises';
import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import { connectNats } from '../../common/nats/nats-connection.js';
import type { Log } from '../../common/observability/log.js';
import type { Metrics } from '../../common/observability/metrics.js';
import { ServiceUnavailable } from '../../common/problem/common-problems.js';
import { problem } from '../../common/problem/problem.js';
import { RPC_CODES } from '../json-rpc.js';
import type { Transport, RpcServer } from '../rpc.server.js';
import { natsPeer } from './nats-peer.js';
import { answerToLost, refusalOf, refuseAll, type Refusal } from './refusals.js';
import { Slots } from './slots.js';

type Dispatcher = Pick<RpcServer, 'dispatch'>;

/** Tool services that listen on one subject share its calls. */
const QUEUE_GROUP = 'svc-tools';
/** Maximum of calls in flight in this process, and of the bytes of their payloads. */
const MAX_AT_ONCE = 64;
const MAX_BYTES_AT_ONCE = 16 * 1024 * 1024;
/** Maximum of calls that wait for those, and of their bytes: the server pushes, whether or not there is capacity. */
const MAX_WAITING = 1_000;
const MAX_BYTES_WAITING = 32 * 1024 * 1024;
const RETRY_MS = 1_000;
const CONNECT_MS = 5_000;
/** A server that is not there must not hold a process up that stops. */
const PARTING_MS = 2_000;

class AnswerTooLarge extends problem<{ answerBytes: number; limitBytes: number }>(
  500,
  'AnswerTooLarge',
  'The answer is larger than a message of this NATS server may be',
) {}

export interface NatsTransportOptions {
  /** As SVC_NATS_URL. */
  url: string;
  subject: string;
  log: Log;
  metrics: Metrics;
}

/**
 * JSON-RPC by NATS request and reply: a payload a message, its answer the reply. All tool services share one queue
 * group, so that another process more is that much more done. A server that is away is looked for until it is back; the
 * rest of the process does not wait for it.
 */
export class NatsTransport implements Transport {
  private readonly slots = new Slots(MAX_AT_ONCE, MAX_BYTES_AT_ONCE);
  private readonly parting = new AbortController();
  private connection?: NatsConnection;
  private subscription?: Subscription;
  private staying?: Promise<void>;
  private closing?: Promise<void>;

  constructor(private readonly parts: NatsTransportOptions) {
    parts.metrics.gauge('svc_nats_calls', 'Calls over NATS, by state.', ['state'], (gauge) => {
      gauge.set({ state: 'under_way' }, this.slots.size);
      gauge.set({ state: 'waiting' }, this.slots.waitingCount);
    });
  }

  /** Begins to connect, and does not wait for it. */
  async open(server: Dispatcher): Promise<void> {
    this.staying = this.stayConnected(server);
  }

  /** Takes no further call, answers those it has, and takes its leave. */
  close(): Promise<void> {
    this.closing ??= this.part();
    return this.closing;
  }

  private async part(): Promise<void> {
    const { connection, subscription } = this;
    this.parting.abort();
    if (subscription && !subscription.isClosed()) await inTime(subscription.drain());
    await this.slots.whenEmpty();
    if (connection && !connection.isClosed()) await inTime(connection.drain());
    await connection?.close().catch(() => undefined);
    if (this.staying) await inTime(this.staying);
  }

  /**
   * The library comes back from an outage by itself; what is looked after here is the first connection, and one that it
   * gave up for good.
   */
  private async stayConnected(server: Dispatcher): Promise<void> {
    const { signal } = this.parting;
    for (let failures = 0; !signal.aborted;) {
      try {
        await this.connect(server);
        failures = 0;
        await this.connection?.closed();
      } catch (error) {
        if (failures++ === 0) this.parts.log.warn({ error }, 'NATS cannot be reached; calls over it wait until it can');
      }
      await sleep(RETRY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  private async connect(server: Dispatcher): Promise<void> {
    const { url, subject, log } = this.parts;
    const connection = await connectNats(url, {
      name: QUEUE_GROUP,
      maxReconnectAttempts: -1,
      reconnectTimeWait: RETRY_MS,
      ignoreAuthErrorAbort: true,
      timeout: CONNECT_MS,
    });
    this.connection = connection;
    if (this.parting.signal.aborted) return connection.close();
    void this.tellOutages(connection);
    this.subscription = connection.subscribe(subject, {
      queue: QUEUE_GROUP,
      callback: (error, message) => {
        if (error) log.error({ error, subject }, 'calls over NATS cannot be taken');
        else
          this.answer(server, message).catch((lost: unknown) =>
            log.error({ error: lost }, 'a call over NATS was lost'),
          );
      },
    });
    log.info({ subject, server: connection.getServer() }, 'calls over NATS are taken');
  }

  private async tellOutages(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === 'disconnect') this.parts.log.warn('the connection to NATS was lost; reconnecting');
      if (type === 'reconnect') this.parts.log.info('the connection to NATS is back');
    }
  }

  private async answer(server: Dispatcher, message: Msg): Promise<void> {
    const { data } = message;
    const peer = natsPeer(message.headers);
    const { waitingCount, waitingBytes } = this.slots;
    if (waitingCount >= MAX_WAITING || waitingBytes + data.length > MAX_BYTES_WAITING)
      return this.reply(message, refuseAll(data, busy(peer.requestId)), peer.requestId);
    await this.slots.take(data.length);
    try {
      const { text } = await server.dispatch(data, peer);
      this.reply(message, text, peer.requestId);
    } catch (error) {
      const text = answerToLost({ bytes: data }, error, { log: this.parts.log, requestId: peer.requestId });
      this.reply(message, text, peer.requestId);
    } finally {
      this.slots.giveBack(data.length);
    }
  }

  /**
   * Nobody may be waiting; and a connection that is gone takes nothing more: what was done stays done, and the caller
   * repeats with its key.
   */
  private reply(message: Msg, text: string | undefined, requestId: string): void {
    try {
      message.respond(this.fitting(message.data, text ?? '', requestId));
    } catch (error) {
      this.parts.log.warn({ error, request_id: requestId }, 'an answer could not be sent over NATS');
    }
  }

  private fitting(payload: Uint8Array, text: string, requestId: string): string {
    const limitBytes = this.connection?.info?.max_payload ?? Infinity;
    const answerBytes = Buffer.byteLength(text);
    if (answerBytes <= limitBytes) return text;
    const refusal = tooLargeToAnswer({ answerBytes, limitBytes }, requestId);
    const instead = refuseAll(payload, refusal) ?? '';
    return Buffer.byteLength(instead) <= limitBytes ? instead : refusalOf(refusal);
  }
}

function busy(requestId: string): Refusal {
  const detail = 'Nothing of it was done: more calls wait here than are taken. Try again';
  return { code: RPC_CODES.upstream, problem: new ServiceUnavailable({ retryAfterSec: 1 }, detail), requestId };
}

function tooLargeToAnswer(facts: { answerBytes: number; limitBytes: number }, requestId: string): Refusal {
  const detail =
    `The call was carried out, but its answer has ${facts.answerBytes} bytes and a message at most ${facts.limitBytes}. ` +
    'Ask for less, or call POST /rpc; a mutation has no second effect with the same idempotency key';
  return { code: RPC_CODES.internalError, problem: new AnswerTooLarge(facts, detail), requestId };
}

async function inTime(work: Promise<unknown>): Promise<void> {
  await Promise.race([work.catch(() => undefined), sleep(PARTING_MS, undefined, { ref: false })]);
}
