import { jetstream, JetStreamApiCodes, jetstreamManager, type JetStreamClient } from '@nats-io/jetstream';
import { nanos, type NatsConnection } from '@nats-io/transport-node';
import { connectNats } from '../../../../common/nats/nats-connection.js';
import { envelopeOf, natsSubject } from '../outbox.rules.js';
import type { EventSink, StoredEvent } from '../outbox.types.js';

const ANSWER_MS = 5_000;
/** Within this time the server knows an event that is published again by its id. */
const DUPLICATE_WINDOW_MS = 2 * 3_600_000;

export interface NatsOptions {
  url: string;
  stream: string;
  source: string;
  retentionDays: number;
}

/** Publishes to NATS JetStream: each tenant's events one after the other, each acknowledged before the next. */
export class NatsSink implements EventSink {
  readonly name = 'nats';
  readonly batch = 200;
  private connection: NatsConnection | undefined;
  private stream: JetStreamClient | undefined;

  constructor(private readonly options: NatsOptions) {}

  async prepare(): Promise<void> {
    if (this.stream && this.connection && !this.connection.isClosed()) return;
    await this.close();
    // The library's own reconnection would keep publishing in memory what the outbox keeps on disk: a lost connection
    // is a failed step.
    const connection = await connectNats(this.options.url, { reconnect: false, timeout: ANSWER_MS });
    this.connection = connection;
    await this.ensureStream(connection);
    this.stream = jetstream(connection, { timeout: ANSWER_MS });
  }

  async publish(events: readonly StoredEvent[]): Promise<void> {
    const byTenant = Map.groupBy(events, ({ tenantId }) => tenantId);
    const results = await Promise.allSettled([...byTenant.values()].map((own) => this.publishInOrder(own)));
    const failed = results.find((result) => result.status === 'rejected');
    if (!failed) return;
    await this.close();
    throw failed.reason;
  }

  async close(): Promise<void> {
    const { connection } = this;
    this.connection = undefined;
    this.stream = undefined;
    await connection?.close().catch(() => undefined);
  }

  private async publishInOrder(events: readonly StoredEvent[]): Promise<void> {
    for (const event of events) {
      await this.stream!.publish(natsSubject(event), this.encode(event), {
        msgID: event.eventId,
        timeout: ANSWER_MS,
        expect: { streamName: this.options.stream },
      });
    }
  }

  /** An event the server would refuse for its size goes without its data: one event must not stop all that follow. */
  private encode(event: StoredEvent): string {
    const envelope = envelopeOf(event, this.options.source);
    const text = JSON.stringify(envelope);
    const bound = (this.connection?.info?.max_payload ?? Infinity) - 1024;
    if (Buffer.byteLength(text) <= bound) return text;
    return JSON.stringify({
      ...envelope,
      data: { omitted: 'too large for this transport; read it from GET /v1/events' },
    });
  }

  private async ensureStream(connection: NatsConnection): Promise<void> {
    const manager = await jetstreamManager(connection, { timeout: ANSWER_MS });
    const { stream, retentionDays } = this.options;
    try {
      await manager.streams.info(stream);
    } catch (error) {
      if ((error as { code?: number }).code !== JetStreamApiCodes.StreamNotFound) throw error;
      await manager.streams.add({
        name: stream,
        subjects: ['svc.events.>'],
        max_age: nanos(retentionDays * 86_400_000),
        duplicate_window: nanos(DUPLICATE_WINDOW_MS),
      });
    }
  }
}
