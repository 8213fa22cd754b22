import { DateTime, FreeObject, ListOf, Text, Uuid } from '../../../../common/fields/fields.js';
import { PageQuery } from '../../../../common/fields/page.dto.js';

export class EventQuery extends PageQuery {
  @Text({
    about: 'Only events of this kind, or, ending in `.*`, of these kinds.',
    example: 'document.*',
    optional: true,
    min: 1,
    max: 200,
    pattern: /^[a-z0-9_]+(\.[a-z0-9_]+)*(\.\*)?$/,
  })
  kind?: string;

  @Text({ about: 'Only events about this id.', optional: true, min: 1, max: 1100 })
  subject?: string;

  @DateTime({ about: 'Only events that happened at this time or later.', optional: true })
  since?: string;
}

export class Event {
  @Uuid({ about: 'The event. One that is delivered twice has the same id both times.' })
  id!: string;

  @Text({ about: 'Its source: the public address of this server.' })
  source!: string;

  @Text({ about: 'The kind of event.', example: 'document.indexed' })
  type!: string;

  @Text({ about: 'The id of what it is about.' })
  subject!: string;

  @DateTime({ about: 'When it happened.' })
  time!: string;

  @Text({ about: 'The tenant it happened in.' })
  tenant_id!: string;

  @FreeObject({ about: 'Ids and facts, by kind; see docs/events.md.' })
  data!: Record<string, unknown>;
}

export class EventList {
  @ListOf({ about: 'Events in their order.', type: () => Event })
  events!: Event[];

  @Text({ about: 'Where the next page starts; null when there is none yet.', nullable: true })
  next_cursor!: string | null;

  @Text({
    about:
      'Where to go on later, always there: as `cursor` of a later call it answers exactly the events that this page and those before did not show.',
  })
  resume_cursor!: string;
}
