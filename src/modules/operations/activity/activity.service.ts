import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { decodeCursor, encodeCursor } from '../../../common/fields/cursor.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { actorNamed } from '../../../common/evidence-log/actor-names.js';
import { EventReaderService } from '../../events/outbox/feed/event-reader.service.js';
import type { StoredEvent } from '../../events/outbox/outbox.types.js';
import { LiveService } from '../live/live.service.js';
import { idOf, shownEvent } from '../live/live.views.js';
import type { Activity, ActivityEvent, ActivityQuery, ActivityStreamQuery } from './activity.dto.js';
import { isAskedFor, type ActivityFilter } from './activity.rules.js';

/** All that happens in a tenant, of the outbox: page by page, or as it happens. */
@Injectable()
export class ActivityService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly events: EventReaderService,
    private readonly live: LiveService,
  ) {}

  /** @throws ValidationFailed for what is no cursor of this list */
  async list(caller: DaemonCaller, { limit, cursor, since, until, ...query }: ActivityQuery): Promise<Activity> {
    const [transaction, position] = decodeCursor(cursor, ['bigint', 'bigint']) ?? [];
    const before = transaction !== undefined && position !== undefined ? { transaction, position } : undefined;
    const tenantId = await this.tenants.enter(caller);
    const filter = { ...filterOf(query), since, until };
    const { events, next } = await this.events.search(tenantId, filter, before, limit);
    return {
      events: events.map(activityOf),
      count: events.length,
      has_more: next !== undefined,
      next_cursor: next ? encodeCursor([next.transaction, next.position]) : null,
    };
  }

  /** Writes events until the client goes. @throws TooManyStreams; ValidationFailed for a Last-Event-ID that is none */
  follow(
    caller: DaemonCaller,
    query: ActivityStreamQuery,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const filter = filterOf(query);
    return this.live.serve(caller, request, reply, (event) => isAskedFor(event, filter));
  }
}

const filterOf = ({ kind, actor, entity, subject }: ActivityStreamQuery): ActivityFilter => ({
  ...{ kind, entity, subject },
  actors: actor === undefined ? undefined : namesOf(actor),
});

/** A passport as events name it, whichever way it was asked for. */
function namesOf(actor: string): string[] {
  const full = actorNamed(actor);
  return [full, ...(full.startsWith(PASSPORT) ? [full.slice(PASSPORT.length)] : [])];
}

const PASSPORT = 'passport:';

function activityOf(event: StoredEvent): ActivityEvent {
  const { actor } = event.data;
  return { ...shownEvent(event), actor: typeof actor === 'string' ? actor : null, position: idOf(event) };
}
