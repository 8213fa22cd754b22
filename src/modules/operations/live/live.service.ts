import { Inject, Injectable, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FollowedCredentials } from '../../../common/bearer-auth/followed-credentials.js';
import { Listener } from '../../../common/database/listener.js';
import { headerOf } from '../../../common/http/headers.js';
import { findNoPlace } from '../../../common/http/stream-places.rules.js';
import { LOG, type Log } from '../../../common/observability/log.js';
import { Metrics } from '../../../common/observability/metrics.js';
import { OUTBOX_CHANNEL } from '../../../common/outbox/outbox.js';
import { invalid, TooManyStreams } from '../../../common/problem/common-problems.js';
import { asRead, isReading } from '../../../common/tenancy/reading.js';
import { TENANT_CHANGED } from '../../../common/tenancy/tenant-state.js';
import { Scheduler } from '../../../common/scheduler/scheduler.js';
import { FairQueue } from '../../../common/workers/fair-queue.js';
import { PassportStandings } from '../../../guards/passport-standings.js';
import { TenantRegistry } from '../../../guards/tenant-registry.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { EventReaderService } from '../../events/outbox/feed/event-reader.service.js';
import type { EventPosition, StoredEvent } from '../../events/outbox/outbox.types.js';
import { LiveConnection, type Wanted } from './live-connection.js';
import { positionOf } from './live.rules.js';
import { TenantFollower } from './tenant-follower.js';

/** Notifications are only hints: each follower also polls this often. */
const POLL_MS = 1_000;
const HEARTBEAT_MS = 15_000;
/** Followers that read at once: each has a connection to the database meanwhile. */
const READS_AT_ONCE = 4;
const PLACES = { all: 2_000, ofCaller: 64, keptForFew: 500, few: 64 };

/** The open event streams of this process, by tenant. */
@Injectable()
export class LiveService implements OnModuleInit, BeforeApplicationShutdown {
  private readonly followers = new Map<string, TenantFollower>();
  private readonly connections = new Set<LiveConnection>();
  private heartbeat: NodeJS.Timeout | undefined;
  private readonly stops: (() => void)[] = [];
  private readonly reads = new FairQueue({ atOnce: READS_AT_ONCE });

  constructor(
    private readonly events: EventReaderService,
    private readonly tenants: TenantResolver,
    private readonly registry: TenantRegistry,
    private readonly standings: PassportStandings,
    private readonly credentials: FollowedCredentials,
    private readonly listener: Listener,
    private readonly scheduler: Scheduler,
    private readonly metrics: Metrics,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onModuleInit(): void {
    this.metrics.gauge('svc_event_streams', 'Event streams that are open.', [], (gauge) =>
      gauge.set(this.connections.size),
    );
    this.stops.push(
      this.listener.on(OUTBOX_CHANNEL, () => this.wakeAll()),
      this.listener.on(TENANT_CHANGED, (tenantId) => this.endInactive(tenantId)),
      this.listener.onGap(() => [...this.followers.keys()].forEach((tenantId) => this.endInactive(tenantId))),
    );
    this.scheduler.every('event_streams', POLL_MS, () => this.wakeAll());
    this.heartbeat = setInterval(() => this.connections.forEach((one) => one.beat()), HEARTBEAT_MS).unref();
  }

  /**
   * Streams end at the beginning of the drain: their clients come back to another process, or to this one when it is
   * there again.
   */
  beforeApplicationShutdown(): void {
    for (const stop of this.stops) stop();
    clearInterval(this.heartbeat);
    for (const connection of this.connections) connection.end('shutdown');
  }

  /**
   * Writes events until the client goes.
   * @param isWanted which of the tenant's; all, unless said otherwise
   * @throws TooManyStreams; ValidationFailed for a Last-Event-ID that is not one of this server
   */
  async serve(caller: DaemonCaller, request: FastifyRequest, reply: FastifyReply, isWanted?: Wanted): Promise<void> {
    const tenantId = await this.tenants.enter(caller);
    this.checkCapacity(tenantId, caller);
    const start = await this.startOf(tenantId, request);
    const { raw } = reply;
    // The request timed out and was answered meanwhile, or the client has gone: nobody is left to answer.
    if (raw.headersSent || raw.destroyed) return;
    // Others that were asked for at the same time may have come first.
    this.checkCapacity(tenantId, caller);
    reply.hijack();
    raw.writeHead(200, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...HEADERS });
    if (request.method === 'HEAD') return void raw.end();
    const connection = new LiveConnection(raw, { tenantId, principal: caller.principal }, start, isWanted);
    this.connections.add(connection);
    connection.begin();
    const follower = this.followerOf(tenantId, connection.seen);
    const { passport } = caller;
    const end = (): void => connection.end('unauthorized');
    const unfollow = passport && this.standings.follow(tenantId, passport, end);
    const unfollowCredential = this.credentials.follow(request, { tenantId, caller }, end);
    raw.once('close', () => {
      if (unfollow) unfollow();
      unfollowCredential();
      this.forget(tenantId, follower, connection);
    });
    try {
      await follower.join(connection);
    } catch (error) {
      this.log.warn({ error, request_id: request.id }, 'an event stream could not be served');
      connection.end('unavailable');
    }
  }

  private checkCapacity(tenantId: string, { principal }: DaemonCaller): void {
    const open = [...this.connections].map(({ of }) => of);
    const reason = findNoPlace(open, { tenantId, principal }, PLACES);
    if (reason !== undefined) throw new TooManyStreams({ retryAfterSec: 5 }, reason);
  }

  /** After the event that the client saw last; without one, from now on. */
  private async startOf(tenantId: string, request: FastifyRequest): Promise<EventPosition> {
    const id = headerOf(request, 'last-event-id');
    if (id === undefined) return this.events.line(tenantId);
    const position = positionOf(id);
    if (position && (await this.events.isPast(tenantId, position))) return position;
    throw invalid('headers.last-event-id', 'is no id of an event of this server; leave it out to hear what is new');
  }

  private followerOf(tenantId: string, reached: EventPosition): TenantFollower {
    const known = this.followers.get(tenantId);
    if (known) return known;
    const follower = new TenantFollower((after, limit) => this.read(tenantId, after, limit), reached);
    this.followers.set(tenantId, follower);
    return follower;
  }

  /** Each notification wakes the followers of all tenants: what they read takes no place from writes. */
  private read(tenantId: string, after: EventPosition, limit: number): Promise<StoredEvent[]> {
    const read = () => this.events.after(tenantId, after, limit);
    return this.reads.run(tenantId, 0, () => (isReading() ? read() : asRead(read)));
  }

  private forget(tenantId: string, follower: TenantFollower, connection: LiveConnection): void {
    follower.leave(connection);
    this.connections.delete(connection);
    if (follower.isIdle && this.followers.get(tenantId) === follower) this.followers.delete(tenantId);
  }

  /** The streams of a tenant that is not active any more. */
  private endInactive(tenantId: string): void {
    const isOpen = this.registry.isActive(tenantId).catch((error: unknown) => {
      this.log.warn({ error, tenant: tenantId }, 'whether a tenant is active could not be read');
      return true;
    });
    void isOpen.then((isActive) => {
      if (isActive) return;
      for (const connection of this.connections)
        if (connection.of.tenantId === tenantId) connection.end('unauthorized');
    });
  }

  private wakeAll(): void {
    for (const [tenantId, follower] of this.followers)
      follower.wake().catch((error: unknown) => this.log.warn({ error, tenant: tenantId }, 'events could not be read'));
  }
}

/** Nothing on the way may keep or gather what is sent. */
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};
