import { Choice, Flag, Integer, ListOf, Nested, Text } from '../../../common/fields/fields.js';
import { HasMore, NextCursor } from '../../../common/fields/page.dto.js';
import { LEASE_MODES, LEASE_STATUSES } from '../leases/lease-states.types.js';
import { MAX_NAMED } from './punchcards.types.js';

export class Conflict {
  @Text({ about: 'The punchcard that stands in the way.' })
  id!: string;

  @Text({ about: 'What it holds.' })
  resource!: string;

  @Choice({ about: 'How.', values: LEASE_MODES })
  mode!: (typeof LEASE_MODES)[number];

  @Text({ about: 'Who holds it.' })
  holder_passport!: string;

  @Integer({ about: 'Its fence.', min: 1 })
  fence!: number;

  @Integer({ about: 'When it ends by itself, in milliseconds since 1970.' })
  expires_at_unix_ms!: number;
}

export class Punchcard {
  @Text({ about: 'The punchcard.' })
  id!: string;

  @Text({ about: 'What it holds, in the form that all spellings of it have.' })
  resource!: string;

  @Choice({ about: '`read` keeps off writers; `write` keeps off everybody else.', values: LEASE_MODES })
  mode!: (typeof LEASE_MODES)[number];

  @Choice({ about: 'A punchcard whose time is over is `expired`, and free for everybody.', values: LEASE_STATUSES })
  status!: (typeof LEASE_STATUSES)[number];

  @Text({ about: 'The passport of the credential that asked for it.' })
  held_by!: string;

  @Text({ about: 'The passport that holds it.' })
  holder_passport!: string;

  @Text({ about: 'What it is held for.', nullable: true })
  reason!: string | null;

  @Text({ about: 'The tenant.' })
  tenant_id!: string;

  @Integer({ about: 'When it was acquired, in milliseconds since 1970.' })
  acquired_at_unix_ms!: number;

  @Integer({ about: 'When it ends, or would have ended, by itself.' })
  expires_at_unix_ms!: number;

  @Integer({ about: 'When a holder that still needs it should have renewed it.' })
  renew_before_unix_ms!: number;

  @Flag({ about: 'Whether the holder had it already, so that this acquisition made it last longer.' })
  reentrant!: boolean;

  @Integer({ about: 'Its fence, for X-Svc-Fence: a later lease has a higher one.', min: 1 })
  fence!: number;

  @Text({ about: 'The receipt of its acquisition.', nullable: true })
  receipt_acquire!: string | null;

  @Text({ about: 'The receipt of its end.', nullable: true })
  receipt_end!: string | null;

  @Integer({ about: 'When it was released, forced or found expired.', nullable: true })
  ended_at_unix_ms!: number | null;

  @Text({ about: 'The commit that the work ended with.', nullable: true })
  release_commit_sha!: string | null;
}

export class AcquiredPunchcard extends Punchcard {
  @Text({
    about: 'In the mode advisory, what enforce would have refused it for; null where nothing stands in the way.',
    nullable: true,
  })
  error!: string | null;

  @ListOf({ about: `What stands in the way, at most ${MAX_NAMED}.`, type: () => Conflict })
  conflicts!: Conflict[];
}

export class PunchcardReply {
  @Nested({ about: 'The punchcard.', type: () => Punchcard })
  punchcard!: Punchcard;
}

export class PunchcardList {
  @ListOf({ about: 'The newest first.', type: () => Punchcard })
  punchcards!: Punchcard[];

  @Integer({ about: 'How many this page has.', min: 0 })
  count!: number;

  @HasMore()
  has_more!: boolean;

  @NextCursor()
  next_cursor!: string | null;
}

export class PunchcardCheck {
  @Flag({ about: 'Whether this server refuses what is held by another; else it only reports it.' })
  enforce!: boolean;

  @Flag({ about: 'Whether somebody else holds it, or a part of it, in a way that rules out the mode asked for.' })
  held_by_other!: boolean;

  @Text({ about: 'Who: of several the one that holds it longest.', nullable: true })
  holder_passport!: string | null;

  @Choice({ about: 'The mode that was asked for.', values: LEASE_MODES })
  mode!: (typeof LEASE_MODES)[number];

  @Text({ about: 'The resource that was asked for, in the form that all spellings of it have.' })
  resource!: string;

  @Integer({ about: 'When the last of what stands in the way ends by itself.', nullable: true })
  expires_at_unix_ms!: number | null;

  @ListOf({ about: `What stands in the way, at most ${MAX_NAMED}.`, type: () => Conflict })
  conflicts!: Conflict[];
}

export class HeldPath extends Conflict {
  @Text({ about: 'The path, as it was asked for.' })
  path!: string;
}

export class PathsCheck {
  @Flag({ about: 'Whether this server refuses what is held by another; else it only reports it.' })
  enforce!: boolean;

  @Integer({ about: 'How many paths were checked.', min: 1 })
  checked!: number;

  @Choice({ about: 'The mode that was asked for.', values: LEASE_MODES })
  mode!: (typeof LEASE_MODES)[number];

  @ListOf({ about: 'The paths that others hold, each with the punchcard that lasts longest.', type: () => HeldPath })
  held!: HeldPath[];
}
