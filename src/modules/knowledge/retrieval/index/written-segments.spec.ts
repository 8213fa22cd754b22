import { expect, test } from 'vitest';
import { CacheBudget } from '../../../../common/caches/cache-budget.js';
import { loadSettings } from '../../../../common/config/settings.js';
import { Metrics } from '../../../../common/observability/metrics.js';
import { buildSegment } from '../../../../search/segment.js';
import { WrittenSegments } from './written-segments.js';

const segment = buildSegment(
  Array.from({ length: 1_000 }, (_, n) => ({ chunkId: `chunk ${n}`, text: `word ${n}`, day: 0 })),
  'simple',
);

test('written segments take a quarter of the caches, the oldest go first, and what is forgotten leaves its place', () => {
  const written = new WrittenSegments(
    new CacheBudget(loadSettings({ NODE_ENV: 'test', SVC_CACHE_MIB: '1' }), new Metrics()),
  );
  const names = Array.from({ length: 100 }, (_, n) => `segment ${n}`);
  for (const name of names) written.keep(name, segment);
  const kept = names.filter((name) => written.find(name));
  expect(kept).toEqual(names.slice(-kept.length));
  const bytes = kept.length * (segment.header.length + segment.postings.length);
  expect(bytes).toBeGreaterThan(2 ** 17);
  expect(bytes).toBeLessThan(2 ** 18);
  written.forget([kept[2]!]);
  written.keep('another', segment);
  expect([...kept, 'another'].filter((name) => !written.find(name))).toEqual([kept[2]]);
});
