import { describe, expect, it } from 'vitest';
import { checkLinearizable, type Model, type Operation } from './linearizability.js';
import { seededRandom, type Random } from './random.js';

type Call = { write: number } | { read: number };

const register: Model<number, Call> = {
  initial: 0,
  step: (state, { call }) => ('write' in call ? call.write : call.read === state ? state : undefined),
  keyOf: String,
  isRead: (call) => 'read' in call,
};

const write = (value: number, start: number, end = Infinity): Operation<Call> => ({
  call: { write: value },
  start,
  end,
});
const read = (value: number, start: number, end: number): Operation<Call> => ({ call: { read: value }, start, end });
const holds = (...history: Operation<Call>[]): boolean => checkLinearizable(register, history).isLinearizable;

describe('histories of a register that are known', () => {
  it('accepts what is sequential, and refuses a read of what is not there any more', () => {
    expect(holds()).toBe(true);
    expect(holds(write(1, 0, 1), read(1, 2, 3), write(2, 4, 5), read(2, 6, 7))).toBe(true);
    expect(holds(write(1, 0, 1), write(2, 2, 3), read(1, 4, 5))).toBe(false);
    expect(holds(read(1, 0, 1), write(1, 2, 3))).toBe(false);
  });

  it('lets concurrent calls take effect in any order, but in one', () => {
    expect(holds(write(1, 0, 10), read(0, 1, 2), read(1, 3, 4))).toBe(true);
    // The new value was read, then the old one, while the write was under way.
    expect(holds(write(1, 0, 10), read(1, 1, 2), read(0, 3, 4))).toBe(false);
    expect(holds(write(1, 0, 10), write(2, 0, 10), read(2, 1, 5), read(1, 6, 9))).toBe(true);
    expect(holds(write(1, 0, 3), write(2, 0, 3), read(2, 4, 5), read(1, 4, 5))).toBe(false);
  });

  it('lets a call without an answer take effect at any time after its start, or never', () => {
    expect(holds(write(1, 5), read(0, 6, 7), read(0, 100, 101))).toBe(true);
    expect(holds(write(1, 5), read(0, 6, 7), read(1, 100, 101))).toBe(true);
    expect(holds(read(1, 0, 4), write(1, 5))).toBe(false);
    // Once it has taken effect it stays.
    expect(holds(write(1, 5), read(1, 6, 7), read(0, 100, 101))).toBe(false);
  });

  it('reports the longest sequence that fits, and what could not follow', () => {
    const verdict = checkLinearizable(register, [write(1, 0, 1), write(2, 2, 3), read(1, 4, 5)]);
    expect(verdict).toEqual({
      isLinearizable: false,
      longest: [write(1, 0, 1), write(2, 2, 3)],
      next: [read(1, 4, 5)],
    });
  });

  it('ends in good time where many calls are concurrent', () => {
    const reads = Array.from({ length: 60 }, (_, n) => read(n % 2, 0, 100));
    expect(holds(write(1, 0, 100), ...reads)).toBe(true);
    expect(holds(write(1, 0, 100), ...reads, read(2, 101, 102))).toBe(false);
  });
});

/** Every order of all calls that keeps to real time, tried one by one. */
function holdsByTrying(history: readonly Operation<Call>[], state = 0): boolean {
  if (history.every(({ end }) => end === Infinity)) return true;
  const firstEnd = Math.min(...history.map(({ end }) => end));
  return history.some((operation) => {
    if (operation.start > firstEnd) return false;
    const after = register.step(state, operation);
    return (
      after !== undefined &&
      holdsByTrying(
        history.filter((other) => other !== operation),
        after,
      )
    );
  });
}

/** A history of a real register: each call takes effect at a moment between its start and its end. */
function recordedHistory(random: Random, calls: number): Operation<Call>[] {
  const moments = Array.from({ length: calls }, (_, n) => 10 * n + 10).map((at) => {
    const start = at - random() * 25;
    const end = random() < 0.1 ? Infinity : at + random() * 25;
    return { at, start, end, isWrite: random() < 0.5 };
  });
  let state = 0;
  return moments.flatMap(({ start, end, isWrite }, n) => {
    if (isWrite) return [write((state = n + 1), start, end)];
    return end === Infinity ? [] : [read(state, start, end)];
  });
}

describe('random histories', () => {
  it('agrees with trying every order', () => {
    const random = seededRandom(7);
    const verdicts = Array.from({ length: 600 }, () => {
      const history = Array.from({ length: 6 }, (): Operation<Call> => {
        const start = Math.floor(random() * 20);
        const end = random() < 0.15 ? Infinity : start + 1 + Math.floor(random() * 12);
        const value = Math.floor(random() * 3);
        return random() < 0.5 || end === Infinity ? write(value, start, end) : read(value, start, end);
      });
      const verdict = holds(...history);
      expect({ history, verdict }).toEqual({ history, verdict: holdsByTrying(history) });
      return verdict;
    });
    // Both verdicts come up often.
    expect(verdicts.filter(Boolean).length).toBeGreaterThan(100);
    expect(verdicts.filter((verdict) => !verdict).length).toBeGreaterThan(100);
  });

  it('accepts what a register did, and finds one stale read that was planted', () => {
    const random = seededRandom(11);
    let planted = 0;
    for (let round = 0; round < 100; round += 1) {
      const history = recordedHistory(random, 60);
      expect(holds(...history)).toBe(true);
      // A value that two later writes had replaced by the time the read began.
      const writes = history.filter(({ call, end }) => 'write' in call && end !== Infinity);
      const [old, , third] = writes.slice(10);
      if (!old || !third || !('write' in old.call)) continue;
      expect(holds(...history, read(old.call.write, third.end + 60, third.end + 61))).toBe(false);
      planted += 1;
    }
    expect(planted).toBeGreaterThan(90);
  });
});
