import { expect, test } from 'vitest';
import type { ShardSnapshot } from './index/index.types.js';
import { costOf, searchesCommons, shardsFor } from './retrieval.rules.js';

const shard = (tenantId: string, corpusId: string, shareability: ShardSnapshot['shareability']): ShardSnapshot => ({
  shardId: `${tenantId}/${corpusId}/${shareability}`,
  tenantId,
  corpusId,
  shareability,
  language: 'english',
  generation: 1,
  segments: [],
  tombstones: [],
});
const own = shard('acme', 'notes', 'owner_only');
const opened = shard('acme', 'notes', 'public_safe');
const commons = shard('other', 'notes', 'public_safe');
const bought = shard('other', 'atlas', 'entitled_only');
const visible = [own, opened, commons, bought];
const search = { query: 'x', corpusIds: [] as string[], includeCommons: true, limit: 8 };

test('a search is about everything visible, or its own, or the named corpora', () => {
  expect(shardsFor('acme', visible, search)).toEqual(visible);
  expect(shardsFor('acme', visible, { ...search, includeCommons: false })).toEqual([own, opened]);
  expect(shardsFor('acme', visible, { ...search, corpusIds: ['atlas'] })).toEqual([bought]);
  expect(shardsFor('acme', visible, { ...search, corpusIds: ['atlas'], includeCommons: false })).toEqual([]);
});

test('only what others opened to everyone is the commons', () => {
  expect(searchesCommons('acme', [own, opened, bought])).toBe(false);
  expect(searchesCommons('acme', visible)).toBe(true);
});

test('what it costs', () => {
  expect(costOf('free', false)).toEqual({ credit_cost: 0, cost_reason: 'tenant_only_query' });
  expect(costOf('free', true)).toEqual({ credit_cost: 5, cost_reason: 'free_tier_commons_rate' });
  for (const tier of ['starter', 'pro', 'team'] as const) {
    expect(costOf(tier, true)).toEqual({ credit_cost: 1, cost_reason: 'paid_tier_commons_query' });
  }
});
