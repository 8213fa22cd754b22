import { invalid } from '../../../../common/problem/common-problems.js';
import { isNamed } from '../gates/gates.rules.js';
import type { WorkItemRow } from '../work-item.entity.js';
import type { WorkState } from '../work.types.js';

/**
 * The fence that a renewal or a release is sent with, in the body or as X-Svc-Fence.
 * @throws ValidationFailed where there is none, or two that differ
 */
export function fenceOf(inBody: number | undefined, inHeader: number | undefined): number {
  if (inBody !== undefined && inHeader !== undefined && inBody !== inHeader)
    throw invalid('body.fence', 'differs from X-Svc-Fence; send one of them');
  const fence = inBody ?? inHeader;
  if (fence === undefined) throw invalid('body.fence', 'is needed, here or as X-Svc-Fence: the claim answered it');
  return fence;
}

type Claimed = Pick<WorkItemRow, 'state' | 'openBlockers' | 'assigneePassport' | 'blockerKind' | 'blockerReason'>;

/** Why nobody, or not this holder, can claim an item that nobody holds; undefined where nothing stands in the way. */
export function whyNotClaimable(item: Claimed, holder: string): string | undefined {
  const { state, openBlockers, assigneePassport, blockerKind, blockerReason } = item;
  if (state === 'blocked')
    return `It is blocked (${blockerKind ?? 'blocked'}${blockerReason === null ? '' : `: ${blockerReason}`}); move it to ready once it is not`;
  if (openBlockers > 0) return `${openBlockers} other item(s) have to be done first; GET /v1/work/{id} names them`;
  if (state === 'ready') return undefined;
  if (state === 'in_progress') {
    if (assigneePassport === null || assigneePassport === holder) return undefined;
    return `${assigneePassport} works on it without a lease; move it to ready first`;
  }
  return state === 'backlog' ? 'It is in the backlog; move it to ready first' : `It is ${state}`;
}

/** Where a claim of an item takes it from: one whose lease is over is ready. */
export const stateBeforeClaim = ({ state, leaseFence }: Pick<WorkItemRow, 'state' | 'leaseFence'>): WorkState =>
  leaseFence === null ? state : stateAfterLease(state);

/** Whether a policy has another approve it. What stays as it is needs nobody. */
export const isMoveGated = (from: WorkState, to: WorkState, gatedMoves: readonly string[]): boolean =>
  from !== to && isNamed(gatedMoves, from, to);

/** Where an item goes when its lease ends: what somebody worked on is ready again, all else stays where it is. */
export const stateAfterLease = (state: WorkItemRow['state']): WorkItemRow['state'] =>
  state === 'in_progress' ? 'ready' : state;
