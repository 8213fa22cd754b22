import { describe, expect, it } from 'vitest';
import { markOf, readEventId, sseEvent, writeEventId } from './sse-events.js';

describe('ids of events', () => {
  const mark = markOf('{"tools":[]}');

  it('are read as they were written, and grow as text too', () => {
    const ids = [1, 9, 10, 123_456].map((count) => writeEventId({ mark, count }));
    expect(ids.map(readEventId)).toEqual([1, 9, 10, 123_456].map((count) => ({ mark, count })));
    expect([...ids].sort()).toEqual(ids);
  });

  it('give another message another mark', () => {
    expect(markOf('{"tools":[1]}')).not.toBe(mark);
    expect(mark).toMatch(/^[0-9a-f]{12}$/);
  });

  it.each([undefined, '', '7', 'x'.repeat(1000), `${'0'.repeat(12)}-7`, `${'g'.repeat(12)}-0000000001`, '-0000000001'])(
    'that are none of ours are not read: %s',
    (text) => {
      expect(readEventId(text)).toBeUndefined();
    },
  );
});

it('an event ends with an empty line', () => {
  expect(sseEvent('a-1', 'heartbeat', '{}')).toBe('id: a-1\nevent: heartbeat\ndata: {}\n\n');
});
