import {
  jetstream,
  JetStreamApiCodes,
  jetstreamManager,
  type JetStreamClient,
  type StreamInfo,
} from '@nats-io/jetstream';
import { nanos, type NatsConnection } from '@nats-io/transport-node';
import { connectNats } from '../../../../common/nats/nats-connection.js';
import type { Log } from '../../../../common/observability/log.js';
import { envelopeOf, natsSubject } from '../outbox.rules.js';
import type { EventSink, StoredEvent } from '../outbox.types.js';

const ANSWER_MS = 5_000;
/** A step has a transaction open, which PostgreSQL ends once it was idle for a minute: a slow server takes fewer. */
const STEP_MS = 10_000;
/** Within this time the server knows an event that is published again by its id. */
const DUPLICATE_WINDOW_MS = 2 * 3_600_000;

export interface NatsOptions {
  url: string;
  stream: string;
  source: string;
  retentionDays: number;
  log: Log;
  /** After so long a step takes no further event. */
  stepMs?: number;
}

/** More than the two headers of a message take, but for the name of the stream in one of them. */
const HEADER_BYTES = 128;

/** Publishes to NATS JetStream: each tenant's events one after the other, each acknowledged before the next. */
export class NatsSink implements EventSink {
  readonly name = 'nats';
  readonly batch = 200;
  private connection: NatsConnection | undefined;
  private stream: JetStreamClient | undefined;
  /** Bytes of a message, its headers counted. */
  private maxBytes = Infinity;

  constructor(private readonly options: NatsOptions) {}

  async prepare(): Promise<void> {
    if (this.stream && this.connection && !this.connection.isClosed()) return;
    await this.close();
    // The library's own reconnection would keep publishing in memory what the outbox keeps on disk: a lost connection
    // is a failed step.
    const connection = await connectNats(this.options.url, { reconnect: false, timeout: ANSWER_MS });
    this.connection = connection;
    const { max_msg_size: ofStream } = (await this.ensureStream(connection)).config;
    this.maxBytes = Math.min(connection.info?.max_payload ?? Infinity, ofStream > 0 ? ofStream : Infinity);
    this.stream = jetstream(connection, { timeout: ANSWER_MS });
  }

  async publish(events: readonly StoredEvent[]): Promise<number> {
    const until = performance.now() + (this.options.stepMs ?? STEP_MS);
    const byTenant = Map.groupBy(events, ({ tenantId }) => tenantId);
    const results = await Promise.allSettled([...byTenant.values()].map((own) => this.publishInOrder(own, until)));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) {
      await this.close();
      throw failed.reason;
    }
    const left = new Set(results.flatMap((result) => (result.status === 'fulfilled' ? result.value : [])));
    const first = events.findIndex((event) => left.has(event));
    return first === -1 ? events.length : first;
  }

  async close(): Promise<void> {
    const { connection } = this;
    this.connection = undefined;
    this.stream = undefined;
    await connection?.close().catch(() => undefined);
  }

  /** @returns what there was no time for */
  private async publishInOrder(events: readonly StoredEvent[], until: number): Promise<readonly StoredEvent[]> {
    for (const [place, event] of events.entries()) {
      if (place > 0 && performance.now() >= until) return events.slice(place);
      const message = this.encode(event);
      if (message === undefined) continue;
      await this.stream!.publish(natsSubject(event), message, {
        msgID: event.eventId,
        timeout: ANSWER_MS,
        expect: { streamName: this.options.stream },
      });
    }
    return [];
  }

  /**
   * An event that server or stream would reject for its size goes without its data, or where that is too large as well
   * not at all: one event must not stop all that follow.
   */
  private encode(event: StoredEvent): string | undefined {
    const { source, stream, log } = this.options;
    const envelope = envelopeOf(event, source);
    const omitted = { omitted: 'too large for this transport; read it from GET /v1/events' };
    const bound = this.maxBytes - HEADER_BYTES - stream.length;
    const fitting = [envelope, { ...envelope, data: omitted }]
      .map((form) => JSON.stringify(form))
      .find((text) => Buffer.byteLength(text) <= bound);
    if (fitting === undefined)
      log.warn(
        { sink: this.name, tenant: event.tenantId, event: event.eventId, max_bytes: this.maxBytes },
        'an event is too large for the stream even without its data, and was left out',
      );
    return fitting;
  }

  private async ensureStream(connection: NatsConnection): Promise<StreamInfo> {
    const manager = await jetstreamManager(connection, { timeout: ANSWER_MS });
    const { stream, retentionDays } = this.options;
    try {
      return await manager.streams.info(stream);
    } catch (error) {
      if ((error as { code?: number }).code !== JetStreamApiCodes.StreamNotFound) throw error;
      return manager.streams.add({
        name: stream,
        subjects: ['svc.events.>'],
        max_age: nanos(retentionDays * 86_400_000),
        duplicate_window: nanos(DUPLICATE_WINDOW_MS),
      });
    }
  }
}
