import { Choice, DateTime, Flag, Integer, ListOf, Text, TextList } from '../../../common/fields/fields.js';
import { PASSPORT } from '../../../common/fields/passport.js';
import { WorkbenchAnswer } from './workbench.dto.js';

const MAX_PREFLIGHT_PATHS = 100;

export class PreflightRequest {
  @TextList({
    about:
      'What is about to change: paths from the root of the repository, `owner/repo:` before them where there are several. A folder stands for all below it; `*`, `?` and `**` are wildcards.',
    ...{ max: 2048, minItems: 1, maxItems: MAX_PREFLIGHT_PATHS },
  })
  paths!: string[];

  @Text({ about: 'Only intents announced in this project.', optional: true, min: 1, max: 200 })
  project_id?: string;

  @Text({ about: 'The session that asks: its own intent is in nobody’s way.', optional: true, min: 1, max: 200 })
  session_id?: string;

  @Text({
    about: 'Who is about to change them; the acting passport when absent, and no other than that.',
    ...{ optional: true, max: 128, pattern: PASSPORT },
  })
  by_passport?: string;
}

export class PreflightLease {
  @Text({ about: 'The path of the request.' })
  path!: string;

  @Text({ about: 'The resource that is held.' })
  resource!: string;

  @Choice({ about: 'How it is held.', values: ['read', 'write'] })
  mode!: string;

  @Integer({ about: 'Its fence.' })
  fence!: number;

  @Text({ about: 'Who holds it.' })
  holder_passport!: string;

  @Flag({ about: 'Whether it is held by who asks.' })
  own!: boolean;

  @DateTime({ about: 'Until when.' })
  expires_at!: string;
}

export class PreflightIntent {
  @Text({ about: 'The path of the request.' })
  path!: string;

  @Text({ about: 'The path of the intent.' })
  theirs!: string;

  @Text({ about: 'The session that announced it.' })
  session_id!: string;

  @Text({ about: 'Who announced it; null where nobody was named.', nullable: true })
  by_passport!: string | null;

  @Text({ about: 'What for.', nullable: true })
  note!: string | null;

  @DateTime({ about: 'Until when it counts.' })
  expires_at!: string;
}

export class PreflightWork {
  @Text({ about: 'The path of the request that its title or text names.' })
  path!: string;

  @Text({ about: 'The item.' })
  work_id!: string;

  @Text({ about: 'Its title.' })
  title!: string;

  @Text({ about: 'Its state.' })
  state!: string;

  @Text({ about: 'Who works on it under a lease; null: nobody.', nullable: true })
  holder_passport!: string | null;

  @Integer({ about: 'The fence of that lease.', nullable: true })
  fence!: number | null;
}

export class Dependant {
  @Text({ about: 'The path of the request.' })
  path!: string;

  @Choice({
    about:
      'graph: an entity with an edge that leads to the path. fact: a fact about the path. work: an item that waits for work on it.',
    values: ['graph', 'fact', 'work'],
  })
  kind!: string;

  @Text({ about: 'The entity as kind:id, the id of the fact, or that of the item.' })
  ref!: string;

  @Text({ about: 'How it depends: the edge and what it leads to, the entity and key, the item it waits for.' })
  how!: string;

  @Integer({ about: 'How many steps away it is.', min: 1 })
  distance!: number;
}

export class Preflight extends WorkbenchAnswer {
  @Choice({ about: 'The form of this answer.', values: ['svc.workbench.impact-preflight/1'] })
  schema!: 'svc.workbench.impact-preflight/1';

  @TextList({ about: 'The paths as they are compared.' })
  paths!: string[];

  @ListOf({ about: 'Live punchcards that meet them.', type: () => PreflightLease })
  leases!: PreflightLease[];

  @ListOf({ about: 'Live intents of other sessions that meet them.', type: () => PreflightIntent })
  intents!: PreflightIntent[];

  @ListOf({ about: 'Open work that names them.', type: () => PreflightWork })
  work!: PreflightWork[];

  @ListOf({ about: 'What depends on them, the nearest first.', type: () => Dependant })
  dependants!: Dependant[];

  @Flag({ about: 'Whether there is more than is shown.' })
  truncated!: boolean;
}
