import type { OnModuleInit } from '@nestjs/common';
import type { Client, Connection, Submittable } from 'pg';
import type { Settings } from '../config/settings.js';
import type { Log } from '../observability/log.js';
import { roleConnection, type DatabaseAddress } from './connection.js';
import type { ConnectionMonitor } from './connection-monitor.js';

type Handler = (payload: string) => void;
const RECONNECT_MS = 250;
/** Pause between an answered probe and the next. */
const PROBE_MS = 250;
/** Notifications arrive within a second (D7); after this long without an answer, cached values are not used. */
const FRESH_MS = 1_000;

export interface ListenerParts {
  settings: Settings;
  address: DatabaseAddress;
  log: Log;
  monitor?: ConnectionMonitor;
}

/**
 * One connection that listens for NOTIFY and hands the payloads on. While it is down `listening` is false; what came in
 * between is lost, so the loss and the return of the connection are gaps that subscribers must treat as "anything may
 * have changed". It is probed all the time: PostgreSQL sends what it has to notify before it says that it is ready
 * again, so that an answer says that everything up to its question was heard. A probe is the Sync message alone: it
 * begins no transaction.
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

  private heardUntil = -Infinity;

  constructor(private readonly parts: ListenerParts) {}

  /** Whether everything that was notified until a second ago has been heard. */
  get isCurrent(): boolean {
    return this.listening && performance.now() - this.heardUntil < FRESH_MS;
  }

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
    const { address, settings, monitor } = this.parts;
    const { Client: RoleClient, ...config } = roleConnection(address, 'svc_app', {
      settings,
      needsSession: true,
      monitor,
    });
    const client = new RoleClient(config);
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
      await this.probe(client);
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

  /** A connection can be lost silently: a failing probe shows it, and the monitor ends one that is not answered. */
  private async probe(client: Client): Promise<void> {
    const askedAt = performance.now();
    await answer(client);
    this.heardUntil = askedAt;
    if (client !== this.client) return;
    this.timer = setTimeout(() => void this.probe(client).catch(() => this.lose(client)), PROBE_MS).unref();
  }

  private lose(client: Client): void {
    if (client !== this.client || this.closed) return;
    this.client = undefined;
    if (this.listening) {
      this.parts.log.warn('the listening connection was lost; reconnecting');
      this.listening = false;
      this.gap();
    }
    clearTimeout(this.timer);
    client.end().catch(() => undefined);
    this.timer = setTimeout(() => void this.connect(), RECONNECT_MS);
  }

  private gap(): void {
    this.gaps += 1;
    for (const handler of this.gapHandlers) handler();
  }
}

/** Sends Sync. @returns when the server is ready again; rejects with the connection */
function answer(client: Client): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = {
      submit: (connection: Connection & { sync(): void }) => connection.sync(),
      handleReadyForQuery: () => resolve(),
      handleError: reject,
    };
    client.query(probe as Submittable);
  });
}
