import { expect, it } from 'vitest';
import { PackContents } from './pack-contents.rules.js';

const row = (value: string, valid_from: string, members: object = {}) => ({
  list: 'facts' as const,
  item: {
    entity: 'e',
    key: 'k',
    value,
    private: false,
    owner: '',
    tenant_hash: null,
    valid_from,
    valid_to: null,
    ...members,
  },
});

it('versions of one value that follow each other are one, since the first, with what the last says', () => {
  const contents = new PackContents(() => true);
  for (const one of [
    row('a', '2025-01-01'),
    row('a', '2025-02-01', { confidence: 0.5 }),
    row('b', '2025-03-01'),
    row('a', '2025-04-01'),
  ])
    contents.add(one);
  expect(contents.finish().facts).toMatchObject([
    { value: 'a', valid_from: '2025-01-01T00:00:00.000Z', confidence: 0.5 },
    { value: 'b' },
    { value: 'a', valid_from: '2025-04-01T00:00:00.000Z' },
  ]);
});

it('a version that was over before it was stored keeps an end after its beginning', () => {
  const contents = new PackContents(() => true);
  contents.add(row('a', '2025-01-01', { valid_to: '2024-01-01T00:00:00Z' }));
  expect(contents.finish().facts).toMatchObject([
    { valid_from: '2023-12-31T23:59:59.999Z', valid_to: '2024-01-01T00:00:00.000Z' },
  ]);
});

it('owners of private content are the principals', () => {
  const contents = new PackContents(() => true);
  contents.add(row('a', '2025-01-01', { private: true, owner: 'passport:b' }));
  contents.add({ list: 'sessions', item: { session_id: 's', opened_at: '2025-01-01' } });
  contents.add({
    list: 'sessions',
    item: { node_id: 'n', private: true, owner: 'passport:a', ts_start: '2025-01-01', ts_end: null, outputs: null },
  });
  expect(contents.finish().principals).toEqual(['passport:a', 'passport:b']);
});
