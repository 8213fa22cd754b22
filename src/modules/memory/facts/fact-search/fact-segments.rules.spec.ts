import { describe, expect, it } from 'vitest';
import { SegmentCorrupted } from '../../../../search/segment.js';
import { HORIZON_CLASSES, VISIBILITY, type Visibility } from '../facts.types.js';
import { FactSegment, type FactToIndex, type PackedSegment } from './fact-segment.js';
import { joinFactSegments, mergeFactSegments, flushFacts, tailSegments } from './fact-segments.rules.js';

const { public: PUBLIC, private: PRIVATE, reserved: RESERVED } = VISIBILITY;
const fact = (seq: number, members: Partial<FactToIndex> = {}): FactToIndex => ({
  ...{ seq, entity: `entity ${seq}`, key: 'key', value: `word${seq} all`, day: seq, visibility: PUBLIC, owner: '' },
  ...{ confidence: 1 / seq, horizonClass: HORIZON_CLASSES[seq % 4]!, retires: null, isTombstone: false },
  ...members,
});
const tombstone = (seq: number, retires: number, visibility: Visibility = PUBLIC) =>
  fact(seq, { retires, isTombstone: true, visibility });
const open = (packed: PackedSegment) => new FactSegment(packed, packed, packed.postings);
/** What a segment holds, in words. */
const shown = (packed: PackedSegment) => {
  const { seqs, columns } = open(packed);
  const name = ['public', 'private', 'reserved'][packed.visibility];
  return `${name} ${packed.isHistory ? 'history' : 'current'}: ${[...seqs].join()} retires ${columns.retires.join()}`;
};
const flushed = (...facts: FactToIndex[]) => flushFacts(facts).map(shown);

describe('a run of facts', () => {
  it('is flushed by visibility', () => {
    expect(flushed(fact(1), fact(2, { visibility: RESERVED }), fact(3, { visibility: PRIVATE }), fact(4))).toEqual([
      'public current: 1,4 retires ',
      'private current: 3 retires ',
      'reserved current: 2 retires ',
    ]);
    expect(flushed()).toEqual([]);
  });

  it('gives what it retires itself to history, and notes what it retires elsewhere', () => {
    expect(flushed(fact(5), fact(6, { retires: 5 }), fact(7, { retires: 2 }))).toEqual([
      'public current: 6,7 retires 2',
      'public history: 5 retires ',
    ]);
  });

  it('of a chain that goes on keeps the note of its first link', () => {
    expect(flushed(fact(5, { retires: 1 }), fact(6, { retires: 5 }))).toEqual([
      'public current: 6 retires 1',
      'public history: 5 retires ',
    ]);
  });

  it('holds no tombstone, but what each retires', () => {
    expect(flushed(fact(5), tombstone(6, 5), tombstone(7, 3))).toEqual([
      'public current:  retires 3',
      'public history: 5 retires ',
    ]);
    expect(flushed(tombstone(6, 5, PRIVATE))).toEqual(['private current:  retires 5']);
  });
});

describe('the tail', () => {
  it('holds the retired among the others, and neither tombstones nor notes', () => {
    const facts = [fact(5), fact(6, { retires: 5 }), fact(7, { visibility: PRIVATE, retires: 1 }), tombstone(8, 6)];
    expect(tailSegments(facts).map(shown)).toEqual(['public current: 5,6 retires ', 'private current: 7 retires ']);
    expect(tailSegments([tombstone(8, 6)])).toEqual([]);
  });
});

const segments = (...runs: FactToIndex[][]) => runs.flatMap(flushFacts).filter(({ isHistory }) => !isHistory);

describe('a merge', () => {
  it('gives what one segment retires of another to history, and keeps the other notes', () => {
    const inputs = segments([fact(1), fact(2)], [fact(3, { retires: 1 }), tombstone(4, 99)]);
    expect(mergeFactSegments(inputs, false).map(shown)).toEqual([
      'public current: 2,3 retires 99',
      'public history: 1 retires ',
    ]);
  });

  it('of all segments of a kind needs no notes any more', () => {
    const inputs = segments([fact(1), fact(2)], [fact(3, { retires: 1 }), tombstone(4, 99)]);
    expect(mergeFactSegments(inputs, true).map(shown)).toEqual([
      'public current: 2,3 retires ',
      'public history: 1 retires ',
    ]);
  });

  it('leaves no current segment where everything is retired', () => {
    const inputs = segments([fact(1)], [tombstone(2, 1)]);
    expect(mergeFactSegments(inputs, false).map(shown)).toEqual(['public history: 1 retires ']);
  });

  it('of history is history', () => {
    const history = [flushFacts([fact(1), tombstone(2, 1)]), flushFacts([fact(3), tombstone(4, 3)])].flat();
    expect(mergeFactSegments(history, true).map(shown)).toEqual(['public history: 1,3 retires ']);
  });

  it('keeps the facts in the order of their seqs, however the segments come', () => {
    const inputs = segments([fact(1)], [fact(2)], [fact(3)]);
    expect(mergeFactSegments(inputs.toReversed(), false).map(shown)).toEqual(['public current: 1,2,3 retires ']);
  });

  it('is refused of nothing, and of what is not what was written', () => {
    expect(() => mergeFactSegments([], true)).toThrow(RangeError);
    const [one] = flushFacts([fact(1)]);
    for (const part of ['header', 'columns'] as const) {
      const changed = Uint8Array.from(one![part]);
      changed[changed.length - 1]! ^= 1;
      expect(() => mergeFactSegments([{ ...one!, [part]: changed }], true)).toThrow(SegmentCorrupted);
    }
  });

  it('has all that was known of each fact, and finds it by its words', () => {
    const facts = Array.from({ length: 12 }, (_, i) => fact(i + 1, { owner: i % 3 ? `owner ${i % 3}` : '' }));
    const retiring = fact(13, { retires: 4, owner: 'another' });
    const inputs = segments(facts.slice(0, 5), facts.slice(5), [retiring]);
    for (const merged of [...mergeFactSegments(inputs, true), joinFactSegments(inputs)].map(open))
      merged.seqs.forEach((seq, ordinal) => {
        const { owners, ownerOf, confidence, horizonOf } = merged.columns;
        const { owner, confidence: given, horizonClass, day } = [...facts, retiring][seq - 1]!;
        expect([owners[ownerOf[ordinal]!], HORIZON_CLASSES[horizonOf[ordinal]!]]).toEqual([owner, horizonClass]);
        expect([confidence[ordinal], merged.segment.days[ordinal]]).toEqual([Math.fround(given), day]);
        expect([...merged.findPostings(`word${seq}`)!.ordinals]).toEqual([ordinal]);
      });
  });

  it('never changes which facts are current, in whatever groups it is done', () => {
    const facts = Array.from({ length: 60 }, (_, i) => {
      const retires = (i * 7) % 3 === 0 && i > 10 ? i - 7 : null;
      return fact(i + 1, { retires, isTombstone: retires !== null && i % 2 === 0 });
    });
    const retired = new Set(facts.map(({ retires }) => retires));
    const current = facts.filter(({ seq, isTombstone }) => !isTombstone && !retired.has(seq)).map(({ seq }) => seq);
    const currentOf = (all: readonly PackedSegment[]) => {
      const live = all.filter(({ isHistory }) => !isHistory).map(open);
      const gone = new Set(live.flatMap(({ columns }) => [...columns.retires]));
      return live.flatMap(({ seqs }) => [...seqs].filter((seq) => !gone.has(seq))).sort((a, b) => a - b);
    };
    let all = Array.from({ length: 12 }, (_, i) => flushFacts(facts.slice(i * 5, i * 5 + 5))).flat();
    expect(currentOf(all)).toEqual(current);
    while (all.filter(({ isHistory }) => !isHistory).length > 1) {
      const live = all.filter(({ isHistory }) => !isHistory);
      const group = live.slice(1, 4).concat(live.slice(0, 1));
      all = [...all.filter((one) => !group.includes(one)), ...mergeFactSegments(group, group.length === live.length)];
      expect(currentOf(all)).toEqual(current);
    }
    const found = facts.filter(({ isTombstone }) => !isTombstone).map(({ seq }) => seq);
    expect(all.flatMap((one) => [...open(one).seqs]).sort((a, b) => a - b)).toEqual(found);
  });
});

it('segments that are joined keep all their facts and notes', () => {
  const inputs = segments([fact(1), fact(2, { retires: 90 })], [fact(3, { retires: 1 }), tombstone(4, 90)]);
  expect(shown(joinFactSegments(inputs))).toBe('public current: 1,2,3 retires 90,1');
});
