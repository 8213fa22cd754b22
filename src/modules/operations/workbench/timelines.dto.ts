import { Choice, DateTime, FreeObject, Integer, ListOf, Nested, Text } from '../../../common/fields/fields.js';
import { NextCursor, PageCount, PageQuery } from '../../../common/fields/page.dto.js';
import { TIMELINE_SOURCES, type TimelineSource } from '../../governance/incidents/timeline/timeline.types.js';
import { WorkbenchAnswer } from './workbench.dto.js';

const optional = true;
const nullable = true;

export class ReasoningQuery extends PageQuery {
  @Text({ about: 'Only what names this session: its receipts and steps.', optional, min: 1, max: 200 })
  session_id?: string;

  @Text({ about: 'Only what this actor did, as receipts name it: `passport:ada`.', optional, min: 1, max: 300 })
  actor?: string;

  @DateTime({ about: 'From when on; a day ago when absent.', optional })
  from?: string;

  @DateTime({ about: 'Until when; now when absent.', optional })
  to?: string;
}

export class ReasoningEntry {
  @DateTime({ about: 'When it happened.' })
  at!: string;

  @Choice({ about: 'Where it is written down.', values: TIMELINE_SOURCES })
  source!: TimelineSource;

  @Text({ about: 'Its id there.' })
  id!: string;

  @Text({ about: 'What happened.' })
  kind!: string;

  @Text({ about: 'What it happened to.' })
  subject!: string;

  @Text({ about: 'Who did it; null where nobody is named.', nullable })
  actor!: string | null;

  @FreeObject({ about: 'What else is known: ids and facts, never a text.' })
  facts!: Record<string, unknown>;
}

export class ReasoningTimeline extends WorkbenchAnswer {
  @Choice({ about: 'The form of this answer.', values: ['svc.workbench.reasoning-timeline/1'] })
  schema!: 'svc.workbench.reasoning-timeline/1';

  @DateTime({ about: 'From when on.' })
  from!: string;

  @DateTime({ about: 'Until when.' })
  to!: string;

  @ListOf({ about: 'Receipts, steps, refusals, approvals and gates, oldest first.', type: () => ReasoningEntry })
  entries!: ReasoningEntry[];

  @PageCount()
  count!: number;

  @NextCursor()
  next_cursor!: string | null;
}

export class TriageQuery {
  @DateTime({ about: 'From when on; a day ago when absent.', optional })
  from?: string;

  @DateTime({ about: 'Until when; now when absent.', optional })
  to?: string;

  @Integer({ about: 'How many of the newest receipts are verified again.', min: 0, max: 50, default: 10 })
  verify!: number;
}

export class TriageCounts {
  @Integer({ about: 'Receipts of the tenant, whenever they were made.' })
  receipts!: number;

  @Integer({ about: 'Receipts that were verified for this answer.' })
  verified!: number;

  @Integer({ about: 'Of those, receipts that do not hold.' })
  invalid!: number;

  @Integer({ about: 'Steps that failed or were denied.' })
  failed_steps!: number;

  @Integer({ about: 'Calls that the shield refused.' })
  denied_calls!: number;

  @Integer({ about: 'Calls that wait for an approval, or waited.' })
  held_calls!: number;

  @Integer({ about: 'Deletions that legal holds refused.' })
  refused_deletions!: number;

  @Integer({ about: 'Gates that were rejected or lapsed.' })
  refused_gates!: number;

  @Integer({ about: 'Incidents that are open now.' })
  open_incidents!: number;
}

export class AuditTriage extends WorkbenchAnswer {
  @Choice({ about: 'The form of this answer.', values: ['svc.workbench.audit-triage/1'] })
  schema!: 'svc.workbench.audit-triage/1';

  @DateTime({ about: 'From when on.' })
  from!: string;

  @DateTime({ about: 'Until when.' })
  to!: string;

  @Nested({ about: 'What was counted.', type: () => TriageCounts })
  counts!: TriageCounts;
}
