import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Slots } from './slots.js';

/** Names of who was let in, in their order. */
async function letIn(slots: Slots, ...bytes: number[]): Promise<number[]> {
  const entered: number[] = [];
  for (const [index, size] of bytes.entries()) void Promise.resolve(slots.take(size)).then(() => entered.push(index));
  await turn();
  return entered;
}

describe('slots', () => {
  it('let in as many as there are, and the next when one is given back', async () => {
    const slots = new Slots(2, 100);
    const entered = await letIn(slots, 1, 1, 1, 1);
    expect([entered, slots.size, slots.waitingCount]).toEqual([[0, 1], 2, 2]);
    slots.giveBack(1);
    await turn();
    expect([entered, slots.size, slots.waitingCount]).toEqual([[0, 1, 2], 2, 1]);
  });

  it('let in as many bytes as there may be, in turn', async () => {
    const slots = new Slots(10, 100);
    const entered = await letIn(slots, 60, 60, 10);
    expect([entered, slots.waitingBytes]).toEqual([[0], 70]);
    slots.giveBack(60);
    await turn();
    expect([entered, slots.waitingBytes]).toEqual([[0, 1, 2], 0]);
  });

  it('let something too large for them in alone', async () => {
    const slots = new Slots(10, 100);
    const entered = await letIn(slots, 500, 1);
    expect(entered).toEqual([0]);
    slots.giveBack(500);
    await turn();
    expect(entered).toEqual([0, 1]);
  });

  it('notify when all were given back', async () => {
    const slots = new Slots(1, 100);
    expect(slots.whenEmpty()).toBeUndefined();
    await letIn(slots, 1, 1);
    let isEmpty = false;
    void slots.whenEmpty()?.then(() => (isEmpty = true));
    slots.giveBack(1);
    await turn();
    expect(isEmpty).toBe(false);
    slots.giveBack(1);
    await turn();
    expect(isEmpty).toBe(true);
  });
});
