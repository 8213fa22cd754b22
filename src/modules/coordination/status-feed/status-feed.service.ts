import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { isFlagOn } from '../../../common/config/daemon/flag-state.js';
import { DAEMON_FLAGS } from '../../../common/config/daemon/flag-table.js';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { preferredType } from '../../../common/http/accept.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { EventReaderService } from '../../events/outbox/feed/event-reader.service.js';
import { LiveService } from '../../operations/live/live.service.js';
import { idOf, shownEvent } from '../../operations/live/live.views.js';
import type { StatusFeed, StatusFeedQuery } from './status-feed.dto.js';
import { FEED_FAMILIES, isOfFeed } from './status-feed.rules.js';

const { env } = DAEMON_FLAGS.statusFeed;
const OFF = `The feed is off; set ${env}=1 and start the daemon again. GET /v1/events/stream has the events without it`;
const ON = `Events of ${FEED_FAMILIES.join(', ')}; with Accept: text/event-stream they come as they happen`;

/** What happens in coordination, of the outbox: page by page, or as it happens. */
@Injectable()
export class StatusFeedService {
  private readonly isOn: boolean;

  constructor(
    private readonly tenants: TenantResolver,
    private readonly events: EventReaderService,
    private readonly live: LiveService,
    @Inject(SETTINGS) { flags }: Settings,
  ) {
    this.isOn = isFlagOn(flags, 'statusFeed');
  }

  /**
   * Writes the answer: the stream where it is asked for and the feed is on, else a page.
   * @throws TooManyStreams; ValidationFailed for a cursor or a Last-Event-ID that is none
   */
  async serve(
    caller: DaemonCaller,
    query: StatusFeedQuery,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const type = preferredType(request.headers.accept, ['application/json', 'text/event-stream']);
    if (type === 'text/event-stream' && this.isOn)
      return this.live.serve(caller, request, reply, (event) => isOfFeed(event, query.work_id));
    await reply.header('vary', 'accept').send(this.isOn ? await this.list(caller, query) : off());
  }

  private async list(caller: DaemonCaller, { work_id, limit, cursor }: StatusFeedQuery): Promise<StatusFeed> {
    const [transaction, position] = decodeCursor(cursor, ['bigint', 'bigint']) ?? [];
    const before = transaction !== undefined && position !== undefined ? { transaction, position } : undefined;
    const tenantId = await this.tenants.enter(caller);
    const filter = { families: FEED_FAMILIES, about: work_id };
    const found = await this.events.newest(tenantId, filter, before, limit + 1);
    const { page, next_cursor } = takePage(found, limit, (event) => [event.transaction, event.position]);
    const events = page.map((event) => ({ ...shownEvent(event), position: idOf(event) }));
    return { events, enabled: true, feature_flag: env, note: ON, next_cursor };
  }
}

const off = (): StatusFeed => ({ events: [], enabled: false, feature_flag: env, note: OFF, next_cursor: null });
