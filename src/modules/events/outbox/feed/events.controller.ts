import { Controller, Query } from '@nestjs/common';
import { Caller, type TenantCaller } from '../../../../common/contract/caller.js';
import { ok, seats } from '../../../../common/contract/contract.js';
import { Route } from '../../../../common/contract/route.decorator.js';
import { EventList, EventQuery } from './events.dto.js';
import { EventsService } from './events.service.js';

@Controller()
export class EventsController {
  constructor(private readonly events: EventsService) {}

  @Route('GET /v1/events', {
    tag: 'events',
    summary: 'List events',
    description:
      'Every change of state that others would want to know, oldest first. To follow: read pages by next_cursor until it is null, keep resume_cursor, and call again with it as cursor ' +
      'after a while, with the same filters. No event is missed or shown twice that way: one whose transaction commits late is held back together with all that come after it until its place is certain, ' +
      'usually for milliseconds. Events are kept for SVC_EVENT_RETENTION_DAYS (30). To be called instead, register a webhook.',
    access: seats('owner', 'admin'),
    reply: ok(EventList),
  })
  listEvents(@Caller() caller: TenantCaller, @Query() query: EventQuery): Promise<EventList> {
    return this.events.list(caller, query);
  }
}
