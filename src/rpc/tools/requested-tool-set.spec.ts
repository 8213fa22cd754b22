import { expect, it } from 'vitest';
import { toolSetIn } from './requested-tool-set.js';

it('takes the set of the header before that of the query', () => {
  const request = (query: object, headers = {}) => toolSetIn({ query, headers } as Parameters<typeof toolSetIn>[0]);
  expect(request({ tool_set: 'all' })).toBe('all');
  expect(request({ tool_set: 'all' }, { 'x-svc-tool-set': 'work' })).toBe('work');
  expect(request({ tool_set: ['all', 'work'] })).toBeUndefined();
  expect(request({})).toBeUndefined();
});
