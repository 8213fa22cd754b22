import { describe, expect, it } from 'vitest';
import { type CheckedStep, TreeCheck } from './conformance.rules.js';

const at = (second: number) => new Date(Date.UTC(2026, 10, 23, 9, 0, second));
const step = (nodeId: string, more: Partial<CheckedStep> = {}): CheckedStep => ({
  ...{ nodeId, parentId: null, depth: 0, kind: 'tool', riskClass: 'minimal', status: 'ok' },
  ...{ tsStart: at(1), tsEnd: at(2), openedAt: at(3), receiptId: null, mutationReceiptId: null, outputs: [] },
  ...more,
});
const under = (parentId: string, depth: number) => ({ parentId, depth });
const check = (...steps: CheckedStep[]): [string, string][] => {
  const tree = new TreeCheck();
  const found = [...steps.flatMap((each) => tree.check(each)), ...tree.finish()];
  return found.map(({ rule, nodeId }) => [rule, nodeId]);
};
const fact = { kind: 'fact', ref: 'f', digest: null, text: null, bytes: null } as const;

describe('the rules', () => {
  it('find nothing wrong with a whole tree of closed steps', () => {
    expect(check(step('a'), step('b', under('a', 1)), step('c', under('b', 2)), step('d', under('a', 1)))).toEqual([]);
  });

  it.each<[string, CheckedStep[], [string, string][]]>([
    ['a parent that is not above', [step('a'), step('b', under('x', 1))], [['tree_whole', 'b']]],
    ['a step below nothing', [step('b', under('a', 1))], [['tree_whole', 'b']]],
    [
      'a parent of another branch',
      [step('a'), step('b', under('a', 1)), step('c', under('b', 3))],
      [['tree_whole', 'c']],
    ],
    ['an open step', [step('a', { status: 'open', tsEnd: null })], [['steps_closed', 'a']]],
    ['an end before the beginning', [step('a', { tsEnd: at(0) })], [['times_in_order', 'a']]],
    [
      'a beginning before the parent',
      [step('a'), step('b', { ...under('a', 1), tsStart: at(0) })],
      [['times_in_order', 'b']],
    ],
    ['a beginning in the future', [step('a', { tsStart: at(900), tsEnd: at(901) })], [['times_in_order', 'a']]],
    ['high risk without a receipt', [step('a', { riskClass: 'high' })], [['high_risk_has_receipt', 'a']]],
    ['a fact without a receipt', [step('a', { kind: 'memory', outputs: [fact] })], [['mutation_has_receipt', 'a']]],
    [
      'a decision of nobody',
      [step('a', { kind: 'decision', riskClass: 'high', receiptId: 'r' })],
      [['human_decision_recorded', 'a']],
    ],
  ])('find %s', (_, steps, expected) => {
    expect(check(...steps)).toEqual(expected);
  });

  it('take a person below or above a decision, who has acted', () => {
    const decision = step('d', { kind: 'decision', riskClass: 'high', receiptId: 'r' });
    const person = (more: Partial<CheckedStep>) => step('p', { kind: 'human', ...more });
    expect(check(decision, step('x', under('d', 1)), person(under('x', 2)))).toEqual([]);
    expect(check(person({}), { ...decision, ...under('p', 1) })).toEqual([]);
    expect(check(decision, person({}))).toEqual([['human_decision_recorded', 'd']]);
    expect(check(decision, person({ ...under('d', 1), status: 'cancelled' }))).toEqual([
      ['human_decision_recorded', 'd'],
    ]);
  });
});
