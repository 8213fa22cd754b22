import { describe, expect, it } from 'vitest';
import { VectorList } from './vector-list.js';

const of = (itemId: string, values: number[] | null, members: object = {}) => ({
  ...{ itemId, visibility: 0, owner: '', vector: values && Float32Array.from(values) },
  ...members,
});
const ANNE = { tenantId: 't', principal: 'anne', seesAll: false, withReserved: false };
const QUERY = Float32Array.from([1, 0]);
const idsOf = (list: VectorList, reader: object = {}, among?: string[]) =>
  list.nearest(QUERY, { ...ANNE, ...reader }, among).map(({ itemId }) => itemId);

function given(): VectorList {
  const list = new VectorList();
  const rows = [
    of('far', [0, 1]),
    of('near', [1, 0]),
    of('hers', [0.6, 0.8], { visibility: 1, owner: 'anne' }),
    of('his', [0.8, 0.6], { visibility: 1, owner: 'bob' }),
    of('reserved', [0.7, 0.7], { visibility: 2, owner: 'anne' }),
    of('other', [1, 0, 0]),
  ];
  list.add(rows.map((row, i) => ({ ...row, place: i + 1 })));
  return list;
}

describe('vectors in memory', () => {
  it('are found nearest first, of the dimension of the query', () => {
    expect(idsOf(given())).toEqual(['near', 'hers', 'far']);
  });

  it('of others are found by who sees all, reserved ones by who asks for them', () => {
    expect(idsOf(given(), { seesAll: true })).toEqual(['near', 'his', 'hers', 'far']);
    expect(idsOf(given(), { withReserved: true })).toEqual(['near', 'reserved', 'hers', 'far']);
    expect(idsOf(given(), { principal: 'bob', withReserved: true })).toEqual(['near', 'his', 'far']);
  });

  it('are narrowed to some', () => {
    expect(idsOf(given(), {}, ['far', 'his', 'gone', 'near'])).toEqual(['near', 'far']);
  });

  it('go when they are emptied or replaced, with their memory', () => {
    const list = given();
    const { byteSize, place } = list;
    list.add([
      { ...of('near', null), place: 7 },
      { ...of('far', [1, 0]), place: 8 },
    ]);
    expect([idsOf(list), list.place, place]).toEqual([['far', 'hers'], 8, 6]);
    expect(list.byteSize).toBeLessThan(byteSize);
    list.clear();
    expect([idsOf(list), list.place]).toEqual([[], 0]);
  });
});
