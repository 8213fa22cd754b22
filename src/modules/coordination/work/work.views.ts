import { shownState } from './moves.rules.js';
import type { WorkComment, WorkTransition } from './work-records.dto.js';
import type { WorkCommentRow } from './work-comment.entity.js';
import type { WorkItemRow } from './work-item.entity.js';
import type { WorkTransitionRow } from './work-transition.entity.js';
import type { WorkItem, WorkLease } from './work-item.dto.js';

/** What a list shows of a body. */
const EXCERPT = 1_000;

export const workOf = (row: WorkItemRow): WorkItem => {
  const state = shownState(row);
  return {
    id: row.workId,
    work_id: row.workId,
    tenant_id: row.tenantId,
    project_id: row.projectId,
    title: row.title,
    body: row.body,
    body_truncated: false,
    state,
    created_by_passport: row.createdBy,
    assignee_passport: row.assigneePassport,
    linked_pr: row.linkedPr,
    linked_issue: row.linkedIssue,
    blocker_reason: row.blockerReason,
    blocker_kind: row.blockerKind,
    priority: row.priority,
    labels: row.labels,
    open_blockers: row.openBlockers,
    ready: state === 'ready' && row.openBlockers === 0,
    lease: leaseOf(row),
    source: 'kanban',
    version: row.version,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
};

/** An item as lists show it. */
export const excerptOf = (item: WorkItem): WorkItem =>
  item.body.length <= EXCERPT
    ? item
    : { ...item, body: item.body.slice(0, EXCERPT).toWellFormed(), body_truncated: true };

function leaseOf({ leaseFence, leaseHolder, leaseExpiresAt, isLeaseOver }: WorkItemRow): WorkLease | null {
  if (leaseFence === null || leaseHolder === null || leaseExpiresAt === null || isLeaseOver) return null;
  return { fence: leaseFence, holder_passport: leaseHolder, expires_at: leaseExpiresAt.toISOString() };
}

export const commentOf = (row: WorkCommentRow): WorkComment => ({
  comment_id: row.commentId,
  work_id: row.workId,
  author_passport: row.authorPassport,
  body: row.body,
  receipt_id: row.receiptId,
  created_at: row.createdAt.toISOString(),
});

export const transitionOf = (row: WorkTransitionRow): WorkTransition => ({
  version: row.version,
  from: row.fromState,
  to: row.toState,
  by_passport: row.passport,
  principal: row.principal,
  why: row.why,
  fence: row.fence,
  action_id: row.actionId,
  receipt_id: row.receiptId,
  at: row.changedAt.toISOString(),
});
