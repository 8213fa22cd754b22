import { describe, expect, it } from 'vitest';
import { briefOf, findingsOfContext } from './briefs.rules.js';

const item = (kind: 'facts' | 'layers' | 'work', id: string, text: string) => ({
  ...{ kind, id, text, hash: 'blake3:0', tokens: 3, score: 1, why: 'for the task' },
});

describe('a brief', () => {
  it('has each item whole, what holds before what is known', () => {
    const { text, order } = briefOf({
      task: 'Trim the wick\nand say so',
      items: [item('work', 'w1', 'Trim it'), item('facts', 'f1', 'oil: Colza'), item('layers', 'l1', 'Be brief.')],
    });
    expect(order.map(({ id }) => id)).toEqual(['l1', 'f1', 'w1']);
    expect(text).toBe(
      '# Trim the wick\n\n## Instructions that hold here\n\n[layers:l1]\nBe brief.\n\n## What is known\n\n[facts:f1]\noil: Colza\n\n## Open work\n\n[work:w1]\nTrim it\n',
    );
  });
});

describe('what is found about a context', () => {
  const omitted = (reason: 'budget' | 'unknown' | 'duplicate') => ({
    ...{ kind: 'facts' as const, id: 'f', tokens: 7, reason, detail: 'why' },
  });
  const idsOf = (items: ReturnType<typeof item>[], left: ReturnType<typeof omitted>[]) =>
    findingsOfContext({ task: 't', items, omitted: left, token_budget: 10 }).map(({ id }) => id);

  it('is nothing where all is in it, or said twice', () => {
    expect(idsOf([item('facts', 'f', 'x')], [omitted('duplicate')])).toEqual([]);
  });

  it('names an empty one, a full one and an unknown project', () => {
    expect(idsOf([], [omitted('budget'), omitted('unknown')])).toEqual([
      'context.empty',
      'context.over_budget',
      'context.unknown',
    ]);
  });
});
