import { DateTime, Flag, FreeObject, Integer, ListOf, Text, Uuid } from '../../../common/fields/fields.js';
import { PageQuery } from '../../../common/fields/page.dto.js';
import { KIND_PATTERN } from './activity.rules.js';

const optional = true;
const Kind = () =>
  Text({
    about: 'Only events of this kind, or, ending in `.*`, of these kinds.',
    ...{ optional, min: 1, max: 200, pattern: KIND_PATTERN, example: 'fact.*' },
  });
const Actor = () =>
  Text({
    about: 'Only what this actor did: a passport id, or an actor in full (`passport:<id>`, `key:<id>`).',
    ...{ optional, min: 1, max: 300, example: 'passport:ada' },
  });
const Entity = () =>
  Text({
    about: 'Only events about this entity, and those below it: `project:web` takes in `project:web/decisions`.',
    ...{ optional, min: 1, max: 1024 },
  });
const Subject = () => Text({ about: 'Only events about this id.', optional, min: 1, max: 1100 });

export class ActivityStreamQuery {
  @Kind()
  kind?: string;

  @Actor()
  actor?: string;

  @Entity()
  entity?: string;

  @Subject()
  subject?: string;
}

export class ActivityQuery extends PageQuery {
  @Kind()
  kind?: string;

  @Actor()
  actor?: string;

  @Entity()
  entity?: string;

  @Subject()
  subject?: string;

  @DateTime({ about: 'Only events that happened at this time or later.', optional })
  since?: string;

  @DateTime({ about: 'Only events that happened before this time.', optional })
  until?: string;
}

export class ActivityEvent {
  @Uuid({ about: 'The event.' })
  id!: string;

  @Text({ about: 'What happened.', example: 'work.changed' })
  type!: string;

  @Text({ about: 'The id of what it is about.' })
  subject!: string;

  @Text({ about: 'Who did it; null where the event names nobody.', nullable: true })
  actor!: string | null;

  @DateTime({ about: 'When it happened.' })
  time!: string;

  @Text({ about: 'The tenant.' })
  tenant_id!: string;

  @FreeObject({ about: 'Ids and facts, by kind; see docs/events.md.' })
  data!: Record<string, unknown>;

  @Text({ about: 'Its place among the events: as Last-Event-ID it makes the stream go on after it.', example: '812-3' })
  position!: string;
}

export class Activity {
  @ListOf({ about: 'The events, newest first.', type: () => ActivityEvent })
  events!: ActivityEvent[];

  @Integer({ about: 'How many this page holds; with filters a page may hold none, and others follow.', min: 0 })
  count!: number;

  @Flag({ about: 'Whether older ones may follow.' })
  has_more!: boolean;

  @Text({ about: 'The cursor of the next page, which has older ones; null on the last one.', nullable: true })
  next_cursor!: string | null;
}
