import { DateTime, Flag, FreeObject, ListOf, Text, Uuid } from '../../../common/fields/fields.js';
import { PageQuery } from '../../../common/fields/page.dto.js';

export class StatusFeedQuery extends PageQuery {
  @Text({ about: 'Only events about this work item: its gates and leases too.', optional: true, min: 1, max: 200 })
  work_id?: string;
}

export class StatusEvent {
  @Uuid({ about: 'The event.' })
  id!: string;

  @Text({ about: 'What happened.', example: 'work.changed' })
  type!: string;

  @Text({ about: 'The id of what it is about.' })
  subject!: string;

  @DateTime({ about: 'When it happened.' })
  time!: string;

  @Text({ about: 'The tenant.' })
  tenant_id!: string;

  @FreeObject({ about: 'Ids and facts, by kind; see docs/events.md.' })
  data!: Record<string, unknown>;

  @Text({ about: 'Its place among the events: as Last-Event-ID it makes the stream go on after it.', example: '812-3' })
  position!: string;
}

export class StatusFeed {
  @ListOf({ about: 'The events, newest first; none while the feed is off.', type: () => StatusEvent })
  events!: StatusEvent[];

  @Flag({ about: 'Whether the feed is on.' })
  enabled!: boolean;

  @Text({ about: 'The setting that switches it.', example: 'SVCD_STATUS_FEED' })
  feature_flag!: string;

  @Text({ about: 'What the feed holds, or how to switch it on.' })
  note!: string;

  @Text({ about: 'The cursor of the next page, which has older ones; null on the last one.', nullable: true })
  next_cursor!: string | null;
}
