import type { OutgoingHttpHeaders } from 'node:http';
import { Injectable, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Listener } from '../../common/database/listener.js';
import { credentialIn, headerOf } from '../../common/http/headers.js';
import { findNoPlace } from '../../common/http/stream-places.rules.js';
import { Metrics } from '../../common/observability/metrics.js';
import { ServiceUnavailable, TooManyStreams } from '../../common/problem/common-problems.js';
import { TENANT_CHANGED } from '../../common/tenancy/tenant-state.js';
import { ToolCapabilitiesService } from '../tool-capabilities.service.js';
import { ToolCallers } from '../../common/keys/tool-callers.js';
import { SseConnection, type CapabilityMessage } from './sse-connection.js';
import { markOf } from './sse-events.js';

/** Each connection gets a heartbeat every so often. */
const HEARTBEAT_MS = 15_000;
/** In so many groups, one after the other, so that a thousand heartbeats are not one burst. */
const GROUPS = 15;
const PLACES = { all: 4_096, ofCaller: 1_024, keptForFew: 1_024, few: 64 };
/** How long connections may take to close when the process stops. */
const PARTING_MS = 2_000;

/** Nothing on the way may keep, gather or compress what is sent. */
const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};

/** Every open GET /sse of this process: one timer beats for all of them, and looks at their credentials. */
@Injectable()
export class SseTransport implements OnModuleInit, BeforeApplicationShutdown {
  private readonly groups = Array.from({ length: GROUPS }, () => new Set<SseConnection>());
  /** The group that was served last: who comes now has a whole round before it. */
  private served = 0;
  private message?: Promise<CapabilityMessage>;
  private isClosing = false;
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly callers: ToolCallers,
    private readonly listener: Listener,
    private readonly capabilities: ToolCapabilitiesService,
    metrics: Metrics,
  ) {
    metrics.gauge('svc_sse_connections', 'Open connections (GET /sse).', [], (gauge) => gauge.set(this.all().length));
  }

  onModuleInit(): void {
    this.timer = setInterval(() => void this.beat(), HEARTBEAT_MS / GROUPS);
    this.timer.unref();
    this.listener.on('svc_key_revoked', (keyId) => {
      void this.endUnauthorized(this.all().filter(({ who }) => who.principal === `key:${keyId}`));
    });
    this.listener.on(TENANT_CHANGED, (tenantId) => {
      void this.endUnauthorized(this.all().filter(({ who }) => who.tenantId === tenantId));
    });
    this.listener.onGap(() => void this.endUnauthorized(this.all()));
  }

  /** @throws ServiceUnavailable when the process is stopping; TooManyStreams */
  async serve(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const message = await (this.message ??= this.makeMessage());
    if (this.isClosing) throw new ServiceUnavailable({ retryAfterSec: 1 }, 'This process is stopping; reconnect');
    const { principal = '', tenantId = '' } = request.caller ?? {};
    const who = { credential: credentialIn(request), principal, tenantId };
    const open = this.all().map((connection) => connection.who);
    const reason = findNoPlace(open, who, PLACES);
    if (reason !== undefined) throw new TooManyStreams({ retryAfterSec: 5 }, reason);
    const { raw } = reply.hijack();
    // The client has gone while its credential was looked up: nobody is left to answer, and nothing would end it.
    if (raw.destroyed) return;
    raw.writeHead(200, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...HEADERS });
    if (request.method === 'HEAD') return void raw.end();
    const connection = new SseConnection(raw, message, who);
    const group = this.groups[this.served]!;
    group.add(connection);
    raw.once('close', () => group.delete(connection));
    connection.begin(headerOf(request, 'last-event-id'));
  }

  /** Heartbeats for the next group. Resolves when those of it whose credential has ended are ended too. */
  async beat(): Promise<void> {
    this.served = (this.served + 1) % GROUPS;
    const at = new Date();
    const group = [...this.groups[this.served]!];
    for (const connection of group) connection.beat(at);
    await this.endUnauthorized(group);
  }

  /** Ends every connection. The listener waits for them, but not long for one whose other end does not read. */
  beforeApplicationShutdown(): void {
    this.isClosing = true;
    clearInterval(this.timer);
    for (const connection of this.all()) connection.end('shutdown');
    setTimeout(() => {
      for (const connection of this.all()) connection.destroy();
    }, PARTING_MS).unref();
  }

  /** Made once: the same for all connections. */
  private async makeMessage(): Promise<CapabilityMessage> {
    const text = JSON.stringify(await this.capabilities.read());
    return { mark: markOf(text), data: Buffer.from(text) };
  }

  private all(): SseConnection[] {
    return this.groups.flatMap((group) => [...group]);
  }

  /** Each credential is asked about once, whatever the number of its connections. */
  private async endUnauthorized(connections: readonly SseConnection[]): Promise<void> {
    const byCredential = Map.groupBy(connections, ({ who }) => JSON.stringify(who.credential));
    for (const own of byCredential.values()) {
      const { credential } = own[0]!.who;
      if (await this.callers.holds(credential, {})) continue;
      for (const connection of own) connection.end('unauthorized');
    }
  }
}
