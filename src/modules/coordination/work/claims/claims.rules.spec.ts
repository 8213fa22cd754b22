import { describe, expect, it } from 'vitest';
import { WORK_STATES, type BlockKind, type WorkState } from '../work.types.js';
import { renewBefore } from '../../leases/leases.types.js';
import { fenceOf, isMoveGated, stateAfterLease, stateBeforeClaim, whyNotClaimable } from './claims.rules.js';

const item = {
  state: 'ready' as WorkState,
  openBlockers: 0,
  assigneePassport: null as string | null,
  blockerKind: null as BlockKind | null,
  blockerReason: null as string | null,
};

describe('renew_before', () => {
  it('is two thirds of the way from the last renewal to the end', () => {
    const renewedAt = new Date('2026-01-01T00:00:00.000Z');
    const expiresAt = new Date('2026-01-01T00:15:00.000Z');
    expect(renewBefore({ renewedAt, expiresAt })).toEqual(new Date('2026-01-01T00:10:00.000Z'));
  });
});

describe('the fence of a renewal or release', () => {
  it('comes in the body, in the header, or the same in both', () => {
    expect([fenceOf(1, undefined), fenceOf(undefined, 2), fenceOf(3, 3)]).toEqual([1, 2, 3]);
  });

  it('is refused when it is missing or ambiguous', () => {
    expect(() => fenceOf(undefined, undefined)).toThrow('body.fence: is needed');
    expect(() => fenceOf(1, 2)).toThrow('body.fence: differs from X-Svc-Fence');
  });
});

describe('what can be claimed', () => {
  it('is what is ready, whoever it is assigned to', () => {
    expect(whyNotClaimable(item, 'ada')).toBeUndefined();
    expect(whyNotClaimable({ ...item, assigneePassport: 'bo' }, 'ada')).toBeUndefined();
  });

  it('is what is in progress without a lease, for the assignee alone', () => {
    const worked = { ...item, state: 'in_progress' as const };
    expect(whyNotClaimable(worked, 'ada')).toBeUndefined();
    expect(whyNotClaimable({ ...worked, assigneePassport: 'ada' }, 'ada')).toBeUndefined();
    expect(whyNotClaimable({ ...worked, assigneePassport: 'bo' }, 'ada')).toMatch('bo works on it without a lease');
  });

  it.each(['backlog', 'blocked', 'in_review', 'done', 'cancelled'] as const)('is nothing that is %s', (state) => {
    expect(whyNotClaimable({ ...item, state }, 'ada')).toMatch(state);
  });

  it('is nothing that others have to be done before, and says how many', () => {
    expect(whyNotClaimable({ ...item, openBlockers: 2 }, 'ada')).toMatch('2 other item(s)');
  });

  it('says why it is blocked', () => {
    const blocked = { ...item, state: 'blocked', blockerKind: 'needs_info', blockerReason: 'which colour?' } as const;
    expect(whyNotClaimable(blocked, 'ada')).toMatch('needs_info: which colour?');
  });
});

describe('the state after a lease', () => {
  it('is ready of what was in progress, and the same of all else', () => {
    expect(WORK_STATES.map(stateAfterLease)).toEqual(
      WORK_STATES.map((state) => (state === 'in_progress' ? 'ready' : state)),
    );
  });
});

describe('a claim', () => {
  it('takes from ready what was in progress under a lease, and all else from where it is', () => {
    expect(stateBeforeClaim({ state: 'in_progress', leaseFence: 7 })).toBe('ready');
    expect(stateBeforeClaim({ state: 'in_progress', leaseFence: null })).toBe('in_progress');
    expect(stateBeforeClaim({ state: 'ready', leaseFence: null })).toBe('ready');
  });

  it('waits for an approval where a policy names its move, unless the state stays', () => {
    for (const moves of [['ready>in_progress'], ['ready>*'], ['*>in_progress'], ['*>*']])
      expect(isMoveGated('ready', 'in_progress', moves)).toBe(true);
    expect(isMoveGated('ready', 'in_progress', ['in_progress>ready', 'backlog>*'])).toBe(false);
    expect(isMoveGated('in_progress', 'in_progress', ['*>*'])).toBe(false);
  });
});
