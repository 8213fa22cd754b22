import {
  Choice,
  DateTime,
  Flag,
  Integer,
  ListOf,
  Nested,
  Text,
  TextList,
  Uuid,
} from '../../../common/fields/fields.js';
import { NextCursor, PageCount, PageQuery } from '../../../common/fields/page.dto.js';
import { PASSPORT } from '../../../common/fields/passport.js';
import { MAX_PATHS } from './intents.types.js';

const DEFAULT_TTL_SECONDS = 900;
const MAX_TTL = 86_400;
const MAX_PATH_SENT = 2048;

const Name = (about: string, example: string) => Text({ about, optional: true, min: 1, max: 200, example });
const Shown = (about: string) => Text({ about: `${about}; null where none was named.`, nullable: true });

export class AnnounceRequest {
  @Text({ about: 'The session that announces: it has one intent at a time.', min: 1, max: 200, example: 'sess-7' })
  session_id!: string;

  @Text({ about: 'The project it works in; overlaps are looked for there.', min: 1, max: 200, example: 'payments' })
  project_id!: string;

  @Text({
    about: 'Who announces; the acting passport of the request when absent, and no other than that.',
    optional: true,
    max: 128,
    pattern: PASSPORT,
    example: 'codex:7',
  })
  by_passport?: string;

  @Name('The plan that it follows.', 'checkout-v2')
  execplan_slug?: string;

  @Name('The milestone that it works towards.', 'M3')
  milestone?: string;

  @Name('Where it is about to deploy to.', 'production')
  deploy_target?: string;

  @TextList({
    about:
      'What it is about to change: paths from the root of the repository, `owner/repo:` before them where there are several. A folder stands for all below it; `*`, `?` and `**` are wildcards.',
    max: MAX_PATH_SENT,
    maxItems: MAX_PATHS,
    default: [],
  })
  paths!: string[];

  @Text({ about: 'What for, in words for people.', optional: true, max: 2000 })
  note?: string;

  @Integer({
    about:
      'For how many seconds it holds; announce again before that to go on. 0 clears what the session has announced.',
    min: 0,
    max: MAX_TTL,
    default: DEFAULT_TTL_SECONDS,
  })
  ttl_seconds!: number;
}

export class ActiveIntentsQuery extends PageQuery {
  @Text({ about: 'Only those in this project.', optional: true, min: 1, max: 200 })
  project_id?: string;
}

export class Intent {
  @Uuid({ about: 'The intent; a re-announce makes another.' })
  intent_id!: string;

  @Text({ about: 'The session that announced it.' })
  session_id!: string;

  @Text({ about: 'The project.' })
  project_id!: string;

  @Shown('Who announced it')
  by_passport!: string | null;

  @Shown('The plan')
  execplan_slug!: string | null;

  @Shown('The milestone')
  milestone!: string | null;

  @Shown('The deploy target')
  deploy_target!: string | null;

  @TextList({ about: 'The paths, each once and written in one way.' })
  paths!: string[];

  @Shown('What for')
  note!: string | null;

  @Integer({ about: 'For how many seconds it was announced.', min: 1 })
  ttl_seconds!: number;

  @DateTime({ about: 'When it was announced.' })
  announced_at!: string;

  @DateTime({ about: 'From then on it does not count any more.' })
  expires_at!: string;
}

export class IntentOverlap {
  @Text({ about: 'The other session.' })
  session_id!: string;

  @Shown('Who announced there')
  by_passport!: string | null;

  @Choice({ about: 'What both name.', values: ['path', 'deploy_target', 'milestone'] })
  kind!: string;

  @Text({ about: 'As this session names it.' })
  mine!: string;

  @Text({ about: 'As the other one does.' })
  theirs!: string;

  @DateTime({ about: 'Since when the other session has announced in this project without a gap.' })
  since!: string;

  @DateTime({ about: 'When its intent ends, unless it announces again.' })
  expires_at!: string;
}

export class AnnounceReply {
  @Nested({ about: 'What is announced now; null when it was cleared.', type: () => Intent, nullable: true })
  intent!: Intent | null;

  @ListOf({
    about: 'Where other live intents of the project meet it, newest first. Nothing is refused because of them.',
    type: () => IntentOverlap,
  })
  overlaps!: IntentOverlap[];

  @ListOf({
    about: 'The live intents of other sessions in the project, newest first; at most 200.',
    type: () => Intent,
  })
  live_peer_intents!: Intent[];

  @Flag({ about: 'Whether ttl_seconds 0 ended a live intent of the session.' })
  cleared!: boolean;

  @Flag({ about: 'Whether there are more peers than are shown, or more overlaps than were looked for.' })
  truncated!: boolean;
}

export class ActiveIntents {
  @ListOf({ about: 'The live intents, by session_id.', type: () => Intent })
  intents!: Intent[];

  @PageCount()
  count!: number;

  @NextCursor()
  next_cursor!: string | null;
}
