import { describe, expect, it } from 'vitest';
import { countStreams, mayOpenStream } from './stream-places.rules.js';

const PLACES = { all: 2000, ofCaller: 64, keptForFew: 500, few: 64 };

describe('a stream is opened', () => {
  it.each([
    ['as the first', { all: 0, ofTenant: 0, ofCaller: 0 }, true],
    ['of a caller with as many as it may have', { all: 64, ofTenant: 64, ofCaller: 64 }, false],
    ['of a tenant with many, while there is space', { all: 1499, ofTenant: 1499, ofCaller: 0 }, true],
    ['of a tenant with many, of the last', { all: 1500, ofTenant: 64, ofCaller: 0 }, false],
    ['of a tenant with few, of the last', { all: 1999, ofTenant: 63, ofCaller: 63 }, true],
    ['where there are as many as may be', { all: 2000, ofTenant: 0, ofCaller: 0 }, false],
  ])('%s: %j %s', (_, open, expected) => {
    expect(mayOpenStream(open, PLACES)).toBe(expected);
  });
});

it('callers are counted by their tenant', () => {
  const open = [
    { tenantId: 'acme', principal: 'agent:a' },
    { tenantId: 'acme', principal: 'agent:b' },
    { tenantId: 'globex', principal: 'agent:a' },
  ];
  expect(countStreams(open, { tenantId: 'acme', principal: 'agent:a' })).toEqual({ all: 3, ofTenant: 2, ofCaller: 1 });
});
