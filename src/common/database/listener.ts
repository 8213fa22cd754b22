import type { OnModuleInit } from '@nestjs/common';
import { Client } from 'pg';
import type { Settings } from '../config/settings.js';
import type { Log } from '../observability/log.js';
import { roleConnection, type DatabaseAddress } from './connection.js';

type Handler = (payload: string) => void;
const RECONNECT_MS = 250;
const PROBE_MS = 2_000;

/**
 * One connection that listens for NOTIFY and hands the payloads on. While it is down `listening` is false; what came in between is lost,
 * so every return of the connection is a gap that subscribers must treat as "anything may have changed".
 */
export class Listener implements OnModuleInit {
  private readonly handlers = new Map<string, Set<Handler>>();
  private readonly gapHandlers = new Set<() => void>();
  private client?: Client;
  private timer?: NodeJS.Timeout;
  private closed = false;
  private readonly epochs = new Map<string, number>();
  private gaps = 0;
  /** What is still to be subscribed to, one statement after the other. */
  private subscribing: Promise<unknown> = Promise.resolve();
  listening = false;

  constructor(
    private readonly settings: Settings,
    private readonly address: DatabaseAddress,
    private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.connect();
  }

  async stop(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    this.listening = false;
    await this.client?.end().catch(() => undefined);
  }

  /** @returns how to stop */
  on(channel: string, handler: Handler): () => void {
    const handlers = this.handlers.get(channel) ?? new Set();
    this.handlers.set(channel, handlers.add(handler));
    if (this.listening) this.subscribe(channel);
    return () => handlers.delete(handler);
  }

  /** Moves with every notification of the channel and with every gap. */
  epochOf(channel: string): string {
    return `${this.gaps}.${this.epochs.get(channel) ?? 0}`;
  }

  onGap(handler: () => void): () => void {
    this.gapHandlers.add(handler);
    return () => this.gapHandlers.delete(handler);
  }

  private async connect(): Promise<void> {
    if (this.closed) return;
    const { max: _max, idleTimeoutMillis: _idle, ...config } = roleConnection(this.address, 'svc_app', this.settings);
    const client = new Client({ ...config, keepAlive: true });
    this.client = client;
    client.on('error', () => this.lose(client));
    client.on('end', () => this.lose(client));
    client.on('notification', ({ channel, payload }) => {
      this.epochs.set(channel, (this.epochs.get(channel) ?? 0) + 1);
      for (const handler of this.handlers.get(channel) ?? []) handler(payload ?? '');
    });
    try {
      await client.connect();
      for (const channel of this.handlers.keys()) await client.query(`listen ${client.escapeIdentifier(channel)}`);
      this.gap();
      this.listening = true;
      this.probe(client);
    } catch {
      this.lose(client);
    }
  }

  private subscribe(channel: string): void {
    const { client } = this;
    if (!client) return;
    const listen = () => client.query(`listen ${client.escapeIdentifier(channel)}`).catch(() => undefined);
    this.subscribing = this.subscribing.then(listen);
  }

  /** A connection can die without a word; a statement that fails says so. */
  private probe(client: Client): void {
    this.timer = setTimeout(() => {
      const late = setTimeout(() => this.lose(client), PROBE_MS);
      client
        .query('select 1')
        .then(() => this.probe(client))
        .catch(() => this.lose(client))
        .finally(() => clearTimeout(late));
    }, PROBE_MS);
    this.timer.unref();
  }

  private lose(client: Client): void {
    if (client !== this.client || this.closed) return;
    if (this.listening) this.log.warn('the listening connection was lost; reconnecting');
    this.listening = false;
    this.client = undefined;
    this.gap();
    clearTimeout(this.timer);
    client.end().catch(() => undefined);
    this.timer = setTimeout(() => void this.connect(), RECONNECT_MS);
  }

  private gap(): void {
    this.gaps += 1;
    for (const handler of this.gapHandlers) handler();
  }
}
