import { describe, expect, it } from 'vitest';
import { assemble, type Choice } from './assembly.rules.js';
import type { ContextKind, CountedCandidate } from './context.types.js';

const item = (kind: ContextKind, id: string, score: number, tokens: number, text = `${kind} ${id}`) =>
  ({ kind, id, hash: id, text, score, tokens, why: '' }) satisfies CountedCandidate;
const idsOf = (chosen: readonly Choice[]) => chosen.map(({ item: { id } }) => id);

describe('an assembly', () => {
  it('holds whole items within its budget, and says what it left out and why', () => {
    const { chosen, omitted } = assemble([item('facts', 'a', 2, 60), item('facts', 'b', 1, 60)], 100);
    expect(idsOf(chosen)).toEqual(['a']);
    expect(omitted).toEqual([{ kind: 'facts', id: 'b', tokens: 60, reason: 'budget', detail: expect.any(String) }]);
  });

  it('goes on with smaller items where the next one is too large', () => {
    const { chosen } = assemble([item('facts', 'large', 9, 500), item('facts', 'small', 1, 10)], 100);
    expect(idsOf(chosen)).toEqual(['small']);
  });

  it('prefers worth by token', () => {
    const found = [item('facts', 'long', 10, 400), item('facts', 'short', 8, 20)];
    expect(idsOf(assemble(found, 1000).chosen)).toEqual(['short', 'long']);
  });

  it('compares kinds by the best of each, so that none crowds out the others', () => {
    const facts = Array.from({ length: 50 }, (_, i) => item('facts', `f${i}`, 1000 - i, 40));
    const { chosen } = assemble([...facts, item('cases', 'c', 0.1, 40), item('passages', 'p', 3, 40)], 400);
    expect(idsOf(chosen)).toEqual(expect.arrayContaining(['c', 'p', 'f0']));
  });

  it('is the same in whatever order the items come', () => {
    const found = Array.from({ length: 30 }, (_, i) => item(i % 2 ? 'facts' : 'passages', `${i}`, i % 5, 10 + (i % 3)));
    expect(assemble([...found].reverse(), 200)).toEqual(assemble(found, 200));
  });

  it('says the same text once', () => {
    const { chosen, omitted } = assemble([item('passages', 'p', 9, 5, 'same '), item('facts', 'f', 1, 5, 'same')], 100);
    expect(idsOf(chosen)).toEqual(['f']);
    expect(omitted).toMatchObject([{ kind: 'passages', id: 'p', reason: 'duplicate' }]);
  });

  it('takes the pieces of an item that are worth most, and goes on with those of others', () => {
    const pieces = [0.1, 1, 0.9].map((worth, i) => ({ start: i * 6, end: i * 6 + 5, worth, tokens: 20 }));
    const whole = { ...item('passages', 'p', 3, 60, 'first other third'), pieces };
    const { chosen, omitted } = assemble([whole, item('facts', 'f', 1, 20)], 65);
    expect(chosen.map(({ item: { id }, piece }) => [id, piece?.start])).toEqual([
      ['f', undefined],
      ['p', 6],
      ['p', 12],
    ]);
    expect(omitted).toEqual([]);
    expect(assemble([whole], 10).omitted).toMatchObject([{ id: 'p', reason: 'budget', tokens: 60 }]);
  });

  it('does not say again in a piece what a fact has said, or the other way round', () => {
    const said = 'I went to the support group yesterday and it was powerful';
    const piece = { start: 0, end: said.length, worth: 1, tokens: 12 };
    const found = [
      { ...item('passages', 'p', 3, 12, said), pieces: [piece] },
      item('facts', 'f', 1, 20, `talk D1: ${said}`),
      item('facts', 'g', 0.9, 20, `talk D2: ${said}`),
    ];
    const { chosen, omitted } = assemble(found, 100);
    expect(idsOf(chosen)).toEqual(['p']);
    expect(omitted.map(({ id, reason }) => [id, reason])).toEqual([
      ['f', 'duplicate'],
      ['g', 'duplicate'],
    ]);
    expect(idsOf(assemble(found.slice(1), 100).chosen)).toEqual(['f', 'g']);
  });

  it('is empty without items, and where none fits', () => {
    expect(assemble([], 100)).toEqual({ chosen: [], omitted: [] });
    expect(assemble([item('facts', 'a', 1, 101)], 100).omitted[0]!.detail).toContain('larger than the whole budget');
  });
});
