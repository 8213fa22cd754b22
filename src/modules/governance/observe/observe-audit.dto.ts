import { DateTime, Flag, Integer, ListOf, Text } from '../../../common/fields/fields.js';
import { HasMore, NextCursor, PageCount, PageQuery } from '../../../common/fields/page.dto.js';
import { ObserveNode } from './observe-steps.dto.js';
import { MAX_DEPTH, OBSERVED_ID } from './observe.types.js';

export class AuditQuery extends PageQuery {
  @Text({ about: 'Only the steps below this one.', optional: true, max: 128, pattern: OBSERVED_ID })
  parent_id?: string;

  @Integer({
    about: 'How many levels of the tree: 1 for the roots, or with parent_id for its children alone. Left out: all.',
    ...{ optional: true, min: 1, max: MAX_DEPTH + 1 },
  })
  depth?: number;
}

export class AuditStep extends ObserveNode {
  @Flag({ about: 'Whether there are steps below it.' })
  has_children!: boolean;
}

export class SessionAudit {
  @Text({ about: 'The session.' })
  session_id!: string;

  @DateTime({ about: 'When its first step was opened.' })
  opened_at!: string;

  @DateTime({ about: 'Since when what was in its steps is gone; null while it is there.', nullable: true })
  archived_at!: string | null;

  @ListOf({ about: 'In the order of the tree: each step before those below it.', type: () => AuditStep })
  steps!: AuditStep[];

  @PageCount()
  count!: number;

  @HasMore()
  has_more!: boolean;

  @NextCursor()
  next_cursor!: string | null;

  @Text({ about: 'svc.observe.audit/1' })
  schema!: string;
}
