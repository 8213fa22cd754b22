import { describe, expect, it } from 'vitest';
import { distinct, divide, moveOf, type AskedChange } from './work.rules.js';
import type { WorkState } from './work.types.js';

const item = (state: WorkState, members: object = {}) => ({
  ...{ state, title: 'A', body: '', assigneePassport: 'ada', linkedPr: null, linkedIssue: null },
  ...{ blockerReason: null, blockerKind: null, priority: 2, labels: ['a'], ...members },
});

describe('the move of a change', () => {
  it('is none where the state stays', () => {
    expect(moveOf(item('ready'), { title: 'B' })).toBeUndefined();
    expect(moveOf(item('ready'), { state: 'ready' })).toBeUndefined();
  });

  it('takes what an item waited for with it, unless it says otherwise', () => {
    const blocked = item('blocked', { blockerKind: 'needs_info', blockerReason: 'Which?' });
    const left = { from: 'blocked', to: 'ready', blockerKind: null, blockerReason: null };
    expect(moveOf(blocked, { state: 'ready' })).toEqual(left);
    expect(moveOf(blocked, { state: 'ready', blockerReason: 'Known' })).toEqual({ ...left, blockerReason: 'Known' });
  });

  it.each<[string, AskedChange]>([
    ['which the table does not have', { state: 'done' }],
    ['to blocked without a kind', { state: 'blocked' }],
    ['to blocked with an empty kind', { state: 'blocked', blockerKind: null }],
  ])('is refused %s', (_what, asked) => {
    expect(() => moveOf(item('ready'), asked)).toThrow(/^body\.(state|blocker_kind): /);
  });
});

describe('a change', () => {
  const divided = (state: WorkState, asked: AskedChange, isGated: boolean, members: object = {}) => {
    const row = item(state, members);
    return divide(row, asked, moveOf(row, asked), isGated);
  };

  it('is applied as a whole where nothing needs an approval; what is the same is not written', () => {
    expect(divided('ready', { state: 'in_progress', title: 'A', labels: ['b'] }, false)).toEqual({
      values: { state: 'in_progress', labels: ['b'] },
      applied: ['title', 'state', 'labels'],
      gated: undefined,
    });
  });

  it('is applied but for the move that needs one', () => {
    expect(divided('in_review', { state: 'done', assigneePassport: null }, true)).toEqual({
      values: { assigneePassport: null },
      applied: ['assignee_passport'],
      gated: { before: { state: 'in_review' }, after: { state: 'done' } },
    });
  });

  it('to blocked waits with its kind and reason', () => {
    const asked: AskedChange = { state: 'blocked', blockerKind: 'needs_info', blockerReason: 'Which?', priority: 0 };
    expect(divided('ready', asked, true)).toEqual({
      values: { priority: 0 },
      applied: ['priority'],
      gated: {
        before: { state: 'ready', blocker_kind: null, blocker_reason: null },
        after: { state: 'blocked', blocker_kind: 'needs_info', blocker_reason: 'Which?' },
      },
    });
  });
});

it('labels are there once each', () => {
  expect(distinct(['b', 'a', 'b'])).toEqual(['b', 'a']);
});
