import { Choice, Flag, Integer, ListOf, Nested, Text, TextList } from '../../../common/fields/fields.js';
import { NextCursor, PageCount, PageQuery } from '../../../common/fields/page.dto.js';
import { PASSPORT } from '../../../common/fields/passport.js';
import { PendingGate } from './gates/gates.dto.js';
import { WorkItem } from './work-item.dto.js';
import {
  BLOCK_KINDS,
  WORK_SOURCES,
  WORK_STATES,
  type BlockKind,
  type WorkSource,
  type WorkState,
} from './work.types.js';

const MAX_TITLE = 500;
const MAX_BODY = 65_536;
const MAX_LINK = 500;
const MAX_REASON = 2_000;
const MAX_LABELS = 20;
const MAX_LABEL = 64;

const optional = true;
const nullable = true;

export const PassportField = (about: string, more: { optional?: true; nullable?: true } = {}) =>
  Text({ about, max: 128, pattern: PASSPORT, example: 'codex:7', ...more });
const TenantField = (about: string, more: { nullable?: true } = {}) =>
  Text({ about, optional, min: 1, max: 120, example: 'default', ...more });
const LinkField = (about: string) => Text({ about, optional, nullable, max: MAX_LINK });
const WhyField = () => Text({ about: 'Why, for the history of the item.', optional, min: 1, max: MAX_REASON });
const StateField = (about: string) => Choice({ about, values: WORK_STATES, optional });
const LabelsField = (about: string) => TextList({ about, optional, max: MAX_LABEL, maxItems: MAX_LABELS });
const PriorityField = (about: string) => Integer({ about, optional, min: 0, max: 4 });

export class WorkPath {
  @Text({ about: 'The work item.', min: 1, max: 200 })
  id!: string;
}

export class WorkQuery extends PageQuery {
  @Text({ about: 'Only work of this project.', optional, min: 1, max: 128 })
  project_id?: string;

  @StateField('Only work in this state. Work in progress whose lease is over is `ready`.')
  state?: WorkState;

  @TenantField('The tenant whose work is meant; that of the credential when absent.')
  tenant_id?: string;

  @PassportField('Only work that is assigned to this passport.', { optional })
  assignee_passport?: string;

  @Choice({
    about: 'The board (`kanban`), what the plan files say (`plans`), or `both`: the board first.',
    values: WORK_SOURCES,
    default: 'kanban',
  })
  source!: WorkSource;

  @Text({
    about:
      'Only what is behind this orchestrator: items that it names, those of passports that it names, and what is behind orchestrators below it.',
    optional,
    min: 1,
    max: 120,
  })
  orchestrator?: string;

  @Flag({
    about: 'Only work that can be begun: `ready`, and nothing open blocks it. `false`: only other work.',
    optional,
  })
  ready?: boolean;

  @Integer({ about: 'Only work of this priority; 0 is the most urgent.', optional, min: 0, max: 4 })
  priority?: number;

  @Text({ about: 'Only work with this label.', optional, min: 1, max: MAX_LABEL })
  label?: string;
}

export class CreateWork {
  @Text({ about: 'The project it belongs to.', min: 1, max: 128, example: 'web' })
  project_id!: string;

  @Text({ about: 'What is to be done, in a line.', min: 1, max: MAX_TITLE, example: 'Speed up the board' })
  title!: string;

  @PassportField('Who creates it; no other than the acting passport of the request, where it has one.')
  created_by_passport!: string;

  @Text({ about: 'All there is to say of it; Markdown.', default: '', max: MAX_BODY })
  body!: string;

  @Choice({ about: 'The state it begins in.', values: WORK_STATES, default: 'backlog' })
  state!: WorkState;

  @PassportField('Whose it is.', { optional, nullable })
  assignee_passport?: string | null;

  @TenantField('The tenant it belongs to; that of the credential when absent.', { nullable })
  tenant_id?: string | null;

  @LinkField('The pull request it is done in: an address or a number.')
  linked_pr?: string | null;

  @LinkField('The issue it comes from: an address or a number.')
  linked_issue?: string | null;

  @Integer({ about: 'How urgent it is: 0 the most, 4 the least.', default: 2, min: 0, max: 4 })
  priority!: number;

  @LabelsField('Labels.')
  labels?: string[];

  @Text({ about: 'What it waits for.', optional, nullable, max: MAX_REASON })
  blocker_reason?: string | null;

  @Choice({ about: 'What it waits for, as a kind; needed where it begins `blocked`.', values: BLOCK_KINDS, optional })
  blocker_kind?: BlockKind;
}

export class ChangeWork {
  @PassportField('Who changes it; no other than the acting passport of the request, where it has one.')
  by_passport!: string;

  @Text({ about: 'Another title.', optional, min: 1, max: MAX_TITLE })
  title?: string;

  @Text({ about: 'Another text.', optional, max: MAX_BODY })
  body?: string;

  @StateField('Another state. Which ones it may get from the present one, the 400 for any other names.')
  state?: WorkState;

  @PassportField('Whose it is; null: nobody’s.', { optional, nullable })
  assignee_passport?: string | null;

  @TenantField('The tenant that it is in; that of the credential when absent or null. An item never leaves it.', {
    nullable,
  })
  tenant_id?: string | null;

  @LinkField('The pull request it is done in; null: none.')
  linked_pr?: string | null;

  @LinkField('The issue it comes from; null: none.')
  linked_issue?: string | null;

  @Text({ about: 'What it waits for; null: nothing to say.', optional, nullable, max: MAX_REASON })
  blocker_reason?: string | null;

  @Choice({
    about: 'What it waits for, as a kind; `blocked` needs one. Both leave with the state `blocked`.',
    values: BLOCK_KINDS,
    optional,
    nullable,
  })
  blocker_kind?: BlockKind | null;

  @PriorityField('How urgent it is: 0 the most, 4 the least.')
  priority?: number;

  @LabelsField('Labels, in place of those it has.')
  labels?: string[];

  @WhyField()
  why?: string;

  @Integer({ about: 'The version that you looked at: 409 where it is not the present one.', optional, min: 1 })
  base_version?: number;
}

export class PlanWarning {
  @Text({ about: 'The file, or the folder, below the root.' })
  path!: string;

  @Text({ about: 'Why it is not shown, or not all of it.' })
  problem!: string;
}

export class WorkList {
  @ListOf({ about: 'The items: urgent ones first, older ones first among them.', type: () => WorkItem })
  work!: WorkItem[];

  @PageCount()
  count!: number;

  @Choice({ about: 'Where they come from.', values: WORK_SOURCES })
  source!: WorkSource;

  @ListOf({ about: 'What of the items on this page waits for an approval.', type: () => PendingGate })
  approvals!: PendingGate[];

  @ListOf({ about: 'Plan files that cannot be shown, or not in full; of the board none.', type: () => PlanWarning })
  warnings!: PlanWarning[];

  @Flag({ about: 'Whether there is another page.' })
  has_more!: boolean;

  @NextCursor()
  next_cursor!: string | null;
}

/** A change that waits for an approval. */
export class QueuedMove {
  @Text({ about: 'The pending gate: POST /v1/work/gate/{actionId}/approve or /reject decides on it.' })
  action_id!: string;

  @Choice({ about: 'The state that the item has.', values: WORK_STATES })
  from!: WorkState;

  @Choice({ about: 'The state that it is to have.', values: WORK_STATES })
  to!: WorkState;
}

export class WorkChangeReply {
  @Nested({ about: 'The item as it is now.', type: () => WorkItem })
  work!: WorkItem;

  @TextList({ about: 'The members that were applied.' })
  applied!: string[];

  @ListOf({ about: 'What waits for an approval; the item does not have it yet.', type: () => QueuedMove })
  queued!: QueuedMove[];
}
