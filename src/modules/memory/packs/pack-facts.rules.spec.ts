import { describe, expect, it } from 'vitest';
import type { FactDraft } from '../facts/facts.types.js';
import { batchesOf, inChainOrder, PackFactPlan } from './pack-facts.rules.js';

const draft = (value: string, members: Partial<FactDraft> = {}) =>
  ({ owner: '', entity: 'e', key: 'k', value, ...members }) as FactDraft;
const NONE = { isHeld: false, isLatest: false, isEarlier: false };
const plan = (drafts: FactDraft[], matches: Partial<typeof NONE>[] = [], touched = new Set<string>()) =>
  new PackFactPlan(
    drafts,
    drafts.map((_, place) => ({ ...NONE, ...matches[place] })),
    touched,
  );
const valuesOf = ({ drafts }: PackFactPlan) => drafts.map(({ value }) => value);

describe('the facts of a pack', () => {
  it('that are new are stored; of equal ones that follow each other the first', () => {
    expect(valuesOf(plan([draft('a'), draft('a'), draft('b'), draft('a', { valid_from: '2' })]))).toEqual([
      'a',
      'b',
      'a',
    ]);
  });

  it('that the tenant has are skipped, and others supersede', () => {
    const held = plan([draft('a'), draft('b')], [{ isHeld: true, isLatest: true }, { isHeld: true }]);
    expect([valuesOf(held), held.superseded]).toEqual([['b'], 1]);
    const history = plan(
      [draft('a'), draft('b')],
      [
        { isHeld: true, isEarlier: true },
        { isHeld: true, isLatest: true },
      ],
    );
    expect([valuesOf(history), history.superseded]).toEqual([[], 0]);
  });

  it('count as superseding only once, and not over what the import itself stored', () => {
    expect(plan([draft('b'), draft('c')], [{ isHeld: true }, { isHeld: true }]).superseded).toBe(1);
  });

  it('are stored in one order, those of a name in theirs', () => {
    const drafts = [draft('1', { key: 'x' }), draft('2'), draft('3', { key: 'x' })];
    const sorted = inChainOrder(drafts).map(({ value }) => value);
    expect(sorted.indexOf('1')).toBe(sorted.indexOf('3') - 1);
    expect(inChainOrder(drafts.toReversed()).map(({ key }) => key)).toEqual(inChainOrder(drafts).map(({ key }) => key));
  });

  it('go to the database a thousand at once, or fewer of long ones', () => {
    const sizes = (drafts: FactDraft[]) => [...batchesOf(drafts)].map(({ length }) => length);
    expect(sizes(Array.from({ length: 2001 }, () => draft('')))).toEqual([1000, 1000, 1]);
    expect(sizes(Array.from({ length: 6 }, () => draft('x'.repeat(1024 * 1024))))).toEqual([4, 2]);
  });
});
