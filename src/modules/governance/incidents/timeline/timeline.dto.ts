import { Choice, DateTime, FreeObject, ListOf, Text, Uuid } from '../../../../common/fields/fields.js';
import { NextCursor, PageCount, PageQuery } from '../../../../common/fields/page.dto.js';
import { TIMELINE_SOURCES, type TimelineSource } from './timeline-sources.js';

export class TimelineQuery extends PageQuery {
  @Choice({ about: 'Only entries of this source.', values: TIMELINE_SOURCES, optional: true })
  source?: TimelineSource;
}

export class TimelineEntry {
  @DateTime({ about: 'When it happened.' })
  at!: string;

  @Choice({ about: 'Where it is written down.', values: TIMELINE_SOURCES })
  source!: TimelineSource;

  @Text({
    about: 'Its id there: of a receipt, an event, a fact, a step as session/node, a decision, an approval, a gate.',
  })
  id!: string;

  @Text({ about: 'What happened.' })
  kind!: string;

  @Text({ about: 'What it happened to.' })
  subject!: string;

  @Text({ about: 'Who did it; null where nobody is named.', nullable: true })
  actor!: string | null;

  @FreeObject({ about: 'What else is known: ids and facts, never a text.' })
  facts!: Record<string, unknown>;
}

export class IncidentTimeline {
  @Uuid({ about: 'The incident.' })
  incident_id!: string;

  @ListOf({ about: 'What happened, oldest first.', type: () => TimelineEntry })
  entries!: TimelineEntry[];

  @PageCount()
  count!: number;

  @NextCursor()
  next_cursor!: string | null;
}
