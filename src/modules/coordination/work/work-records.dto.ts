import { Choice, DateTime, Flag, Integer, ListOf, Nested, Text } from '../../../common/fields/fields.js';
import { NextCursor } from '../../../common/fields/page.dto.js';
import { WorkItem } from './work-item.dto.js';
import { PassportField, WorkPath } from './work.dto.js';
import { WORK_STATES, type WorkState } from './work.types.js';

const nullable = true;

export class CreateComment {
  @PassportField('Who says it; no other than the acting passport of the request, where it has one.')
  author_passport!: string;

  @Text({ about: 'What there is to say; Markdown.', min: 1, max: 16_384 })
  body!: string;
}

export class WorkComment {
  @Text({ about: 'Its id.' })
  comment_id!: string;

  @Text({ about: 'The item it is about.' })
  work_id!: string;

  @Text({ about: 'Who said it.' })
  author_passport!: string;

  @Text({ about: 'What was said.' })
  body!: string;

  @Text({ about: 'The signed receipt of it.' })
  receipt_id!: string;

  @DateTime({ about: 'When it was said.' })
  created_at!: string;
}

export class WorkComments {
  @ListOf({ about: 'The comments, oldest first.', type: () => WorkComment })
  comments!: WorkComment[];

  @Text({ about: 'The item.' })
  work_id!: string;

  @Flag({ about: 'Whether there is another page.' })
  has_more!: boolean;

  @NextCursor()
  next_cursor!: string | null;
}

export class WorkTransition {
  @Integer({ about: 'The version of the item that it made.', min: 1 })
  version!: number;

  @Choice({ about: 'What the item was; null: it was created.', values: WORK_STATES, nullable })
  from!: WorkState | null;

  @Choice({ about: 'What it became.', values: WORK_STATES })
  to!: WorkState;

  @Text({ about: 'Who did it.' })
  by_passport!: string;

  @Text({ about: 'The principal of the credential that did it.' })
  principal!: string;

  @Text({ about: 'Why.', nullable })
  why!: string | null;

  @Integer({ about: 'The fence of the lease under which it was done.', nullable, min: 1 })
  fence!: number | null;

  @Text({ about: 'The gate that let it through.', nullable })
  action_id!: string | null;

  @Text({ about: 'The signed receipt of it.' })
  receipt_id!: string;

  @DateTime({ about: 'When.' })
  at!: string;
}

export class WorkTransitions {
  @ListOf({ about: 'Every change of state, oldest first; the first one is the creation.', type: () => WorkTransition })
  transitions!: WorkTransition[];

  @Text({ about: 'The item.' })
  work_id!: string;

  @Flag({ about: 'Whether there is another page.' })
  has_more!: boolean;

  @NextCursor()
  next_cursor!: string | null;
}

export class BlockerPath extends WorkPath {
  @Text({ about: 'The item that blocks it.', min: 1, max: 200 })
  other!: string;
}

export class WorkBlocker {
  @Text({ about: 'The item that blocks.' })
  work_id!: string;

  @Text({ about: 'Its title.' })
  title!: string;

  @Choice({ about: 'Its state.', values: WORK_STATES })
  state!: WorkState;

  @Flag({ about: 'Whether it blocks still: it is neither done nor cancelled.' })
  open!: boolean;

  @Text({ about: 'The principal that added it.' })
  added_by!: string;

  @DateTime({ about: 'When it was added.' })
  added_at!: string;
}

export class WorkBlockers {
  @ListOf({ about: 'What blocks the item, in the order in which it was added.', type: () => WorkBlocker })
  blockers!: WorkBlocker[];

  @Text({ about: 'The item.' })
  work_id!: string;
}

export class BlockerReply extends WorkBlockers {
  @Nested({ about: 'The item as it is now.', type: () => WorkItem })
  work!: WorkItem;

  @Flag({ about: 'Whether this call changed anything.' })
  changed!: boolean;
}
