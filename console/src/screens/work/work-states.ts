import type { WorkItem } from '../../generated/daemon/types.gen.ts';

export type WorkState = WorkItem['state'];

export const STATES: Record<WorkState, string> = {
  backlog: 'Backlog',
  ready: 'Ready',
  in_progress: 'In progress',
  blocked: 'Blocked',
  in_review: 'In review',
  done: 'Done',
  cancelled: 'Cancelled',
};

type Tone = 'plain' | 'good' | 'warn' | 'bad';

export const TONES: Record<WorkState, Tone> = {
  backlog: 'plain',
  ready: 'good',
  in_progress: 'plain',
  blocked: 'bad',
  in_review: 'warn',
  done: 'good',
  cancelled: 'plain',
};

export const workAddress = (id: string): string => `/work/${encodeURIComponent(id)}`;

/** What keeps an item from being begun, in a few words; empty where nothing does. */
export function obstacleOf({ open_blockers, blocker_reason, blocker_kind }: WorkItem): string {
  if (open_blockers > 0) return open_blockers === 1 ? '1 open item' : `${open_blockers} open items`;
  return blocker_reason ?? blocker_kind?.replace('_', ' ') ?? '';
}
