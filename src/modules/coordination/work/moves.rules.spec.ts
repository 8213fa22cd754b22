import { describe, expect, it } from 'vitest';
import {
  endsLease,
  findForbidden,
  isEnded,
  isMovePattern,
  mayEndOrReopen,
  MOVE_NAMES,
  MOVES,
  shownState,
} from './moves.rules.js';
import { WORK_STATES } from './work.types.js';

describe('the table of moves', () => {
  it('has every state, names none that is none, and no move to where an item is', () => {
    expect(Object.keys(MOVES)).toEqual([...WORK_STATES]);
    for (const [from, tos] of Object.entries(MOVES)) {
      expect(WORK_STATES).toEqual(expect.arrayContaining([...tos]));
      expect([from, tos.includes(from as never), new Set(tos).size]).toEqual([from, false, tos.length]);
    }
  });

  it('leads to done through review alone', () => {
    expect(MOVE_NAMES.filter((name) => name.endsWith('>done'))).toEqual(['in_review>done']);
    expect(MOVE_NAMES.filter((name) => name.endsWith('>in_review'))).toEqual(['in_progress>in_review']);
  });

  it('leads out of every state, and of those that ended back to the board alone', () => {
    for (const from of WORK_STATES) expect([from, MOVES[from].length > 0]).toEqual([from, true]);
    for (const from of WORK_STATES.filter(isEnded)) expect(MOVES[from]).toEqual(['backlog', 'ready']);
  });

  it('may end or reopen an item by a move to every state that it does so by', () => {
    for (const from of WORK_STATES)
      for (const to of MOVES[from].filter((one) => isEnded(one) !== isEnded(from)))
        expect([from, to, mayEndOrReopen(to)]).toEqual([from, to, true]);
    expect(WORK_STATES.filter((to) => !mayEndOrReopen(to))).toEqual(['in_progress', 'blocked', 'in_review']);
  });

  it('refuses what it does not have, naming what it has', () => {
    expect(findForbidden('backlog', 'done')).toBe(
      'backlog does not become done; allowed from backlog: ready, in_progress, blocked, cancelled',
    );
    const refused = WORK_STATES.flatMap((from) => WORK_STATES.filter((to) => findForbidden(from, to) !== undefined));
    expect(refused).toHaveLength(7 * 6 - MOVE_NAMES.length);
    for (const state of WORK_STATES) expect(findForbidden(state, state)).toBeUndefined();
  });
});

it('a lease ends where nobody works on the item any more', () => {
  expect(WORK_STATES.filter(endsLease)).toEqual(['backlog', 'ready', 'done', 'cancelled']);
});

it('work whose lease is over is ready', () => {
  expect(shownState({ state: 'in_progress', isLeaseOver: true })).toBe('ready');
  expect(shownState({ state: 'in_progress', isLeaseOver: false })).toBe('in_progress');
});

it('a pattern names a move of the table', () => {
  for (const pattern of ['in_review>done', '*>cancelled', 'ready>*', '*>*']) expect(isMovePattern(pattern)).toBe(true);
  for (const pattern of ['ready>done', 'done', '*', '', '>', '*>nope', 'a>b>c', 'ready > blocked', 'in_review>done>'])
    expect([pattern, isMovePattern(pattern)]).toEqual([pattern, false]);
});
