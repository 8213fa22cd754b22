import {
  Choice,
  DateTime,
  Decimal,
  Flag,
  Integer,
  ListOf,
  Nested,
  Text,
  TextList,
  Url,
  Uuid,
} from '../../../common/fields/fields.js';
import { PageQuery } from '../../../common/fields/page.dto.js';
import { TenantMember } from '../../../common/fields/shared-members.js';
import { TARGET_TYPES, type TargetType } from './watches.types.js';

const MAX_ID_LENGTH = 512;
const MAX_TARGET_LENGTH = 1100;

export class WatchQueryMember {
  @Text({ about: 'The question, as POST /v1/retrieve takes it.', min: 2, max: 20_000, example: 'parental leave' })
  query!: string;

  @TextList({ about: 'Only these corpora; none: all.', max: MAX_ID_LENGTH, maxItems: 100, default: [] })
  corpusIds!: string[];

  @Flag({ about: 'Whether passages that other tenants share count too.', default: true })
  includeCommons!: boolean;

  @Integer({ about: 'A passage is a match while it is among so many of the best.', min: 1, max: 50, default: 10 })
  limit!: number;

  @Decimal({ about: 'Only passages of at least this score; none: any.', optional: true, min: 0 })
  minScore?: number;
}

export class WatchRequest {
  @TenantMember()
  tenantId?: string;

  @Text({
    about: 'The agent it is for: alerts are written into its journal.',
    min: 1,
    max: MAX_ID_LENGTH,
    default: 'default-agent',
  })
  agentId!: string;

  @Choice({
    about:
      'answer: an answerId. document: corpusId/docId. artifact (also written artefact): an answer, a passage (chunkId) or a document, whichever there is. query: the member query.',
    values: [...TARGET_TYPES, 'artefact'],
  })
  targetType!: TargetType | 'artefact';

  @Text({
    about: 'What is watched. For a query a name of your choosing, or left out.',
    optional: true,
    min: 1,
    max: MAX_TARGET_LENGTH,
    example: 'handbook/leave',
  })
  targetId?: string;

  @Nested({ about: 'The question to watch; for targetType query alone.', type: () => WatchQueryMember, optional: true })
  query?: WatchQueryMember;

  @Text({ about: 'What it is for; comes with every alert.', optional: true, min: 1, max: 2000 })
  note?: string;

  @Url({
    about: 'Where to post the alerts of this watch alone: a webhook as POST /v1/org/webhooks makes them.',
    optional: true,
  })
  webhookUrl?: string;
}

export class Watch {
  @Uuid({ about: 'The watch.' })
  watchId!: string;

  @Text({ about: 'The agent it is for.' })
  agentId!: string;

  @Choice({ about: 'What kind of thing is watched.', values: TARGET_TYPES })
  targetType!: TargetType;

  @Text({ about: 'What is watched.' })
  targetId!: string;

  @Nested({ about: 'The watched question; null for other targets.', type: () => WatchQueryMember, nullable: true })
  query!: WatchQueryMember | null;

  @Text({ about: 'What it is for.', nullable: true })
  note!: string | null;

  @Flag({ about: 'Whether it still watches.' })
  active!: boolean;

  @Integer({ about: 'Alerts it has raised.', min: 0 })
  alertCount!: number;

  @Text({ about: 'Who made it.' })
  createdBy!: string;

  @DateTime({ about: 'From when it watches.' })
  createdAt!: string;

  @DateTime({ about: 'When it ended; null while it watches.', nullable: true })
  endedAt!: string | null;
}

export class WatchWebhook {
  @Uuid({ about: 'The webhook.' })
  webhookId!: string;

  @Text({ about: 'Verifies what is sent (Standard Webhooks). Shown this once.' })
  secret!: string;
}

export class WatchCreated extends Watch {
  @Nested({ about: 'The webhook of this watch; null without webhookUrl.', type: () => WatchWebhook, nullable: true })
  webhook!: WatchWebhook | null;
}

export class WatchListQuery extends PageQuery {
  @Choice({ about: 'Only watches of this kind.', values: [...TARGET_TYPES, 'artefact'], optional: true })
  targetType?: TargetType | 'artefact';

  @Text({ about: 'Only watches of this.', optional: true, min: 1, max: MAX_TARGET_LENGTH })
  targetId?: string;

  @Text({ about: 'Only watches for this agent.', optional: true, min: 1, max: MAX_ID_LENGTH })
  agentId?: string;

  @Flag({ about: 'false: those that have ended instead of those that watch.', default: true })
  active!: boolean;
}

export class WatchList {
  @ListOf({ about: 'Watches in the order in which they were made.', type: () => Watch })
  watches!: Watch[];

  @Text({ about: 'Where the next page starts; null on the last.', nullable: true })
  next_cursor!: string | null;
}

export class WatchPath {
  @Uuid({ about: 'The watch.' })
  id!: string;
}
