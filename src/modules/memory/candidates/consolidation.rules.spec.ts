import { expect, it } from 'vitest';
import { atOnce } from '../../../search/slices.js';
import { reviewsOf, type StoredStatement } from './consolidation.rules.js';

let minute = 0;
const fact = (fact_id: string, entity: string, key: string, value: string, valid_to: Date | null = null) =>
  ({
    fact_id,
    entity,
    key,
    value,
    valid_to,
    stored_at: new Date(Date.UTC(2026, 0, 1, 0, minute++)),
  }) satisfies StoredStatement;
const now = new Date('2026-02-01T00:00:00Z');
const seen = (...facts: StoredStatement[]) =>
  atOnce(reviewsOf(facts, now)).map(({ kind, fact: { fact_id }, other }) => [kind, fact_id, other?.fact_id]);

it('puts forward the older of two that say nearly the same', () => {
  const words = 'the spare key lies under the third stone';
  expect(seen(fact('a', 'ada', 'x', words), fact('b', 'Ada', 'y', `${words}.`))).toEqual([
    ['near_duplicate', 'a', 'b'],
  ]);
});

it('puts forward the older of two that contradict each other under one name', () => {
  expect(seen(fact('a', 'ada', 'City', 'Rome'), fact('b', 'ada', 'city', 'Oslo'))).toEqual([
    ['contradiction', 'a', 'b'],
  ]);
});

it('puts forward what is over, and compares it with nothing', () => {
  const over = fact('a', 'ada', 'visa', 'ok', new Date('2026-01-31T00:00:00Z'));
  expect(seen(over, fact('b', 'ada', 'Visa', 'ok'))).toEqual([['expired', 'a', undefined]]);
});

it('yields at each comparison, so that many facts keep no request waiting', () => {
  const facts = Array.from({ length: 20 }, (_, n) => fact(`f${n}`, 'ada', `key ${n}`, `a value of its own, ${n}`));
  let steps = 0;
  for (const work = reviewsOf(facts, now); !work.next().done;) steps += 1;
  expect(steps).toBe((20 * 19) / 2);
});

it('lets be what differs, in name or in short values', () => {
  expect(
    seen(fact('a', 'ada', 'city', 'Rome'), fact('b', 'bob', 'city', 'Oslo'), fact('c', 'ada', 'job', 'cook')),
  ).toEqual([]);
});
