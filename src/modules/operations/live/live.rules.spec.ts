import { describe, expect, it } from 'vitest';
import { isAfter, messageOf, positionOf } from './live.rules.js';
import { idOf } from './live.views.js';

describe('the ids of the event stream', () => {
  it('are read back as they were written', () => {
    for (const position of [
      { transaction: '7', position: '0' },
      { transaction: '9223372036854775807', position: '12' },
    ])
      expect(positionOf(idOf(position))).toEqual(position);
  });

  it('are nothing else than ours', () => {
    for (const id of ['', '7', '7-', '-7', 'a-1', '1-2-3', ' 1-2', '1-9223372036854775808', '1-2\n'])
      expect([id, positionOf(id)]).toEqual([id, undefined]);
  });

  it('are in the order of transactions, then positions, as numbers', () => {
    expect(isAfter({ transaction: '10', position: '0' }, { transaction: '9', position: '5' })).toBe(true);
    expect(isAfter({ transaction: '9', position: '10' }, { transaction: '9', position: '9' })).toBe(true);
    expect(isAfter({ transaction: '9', position: '9' }, { transaction: '9', position: '9' })).toBe(false);
  });
});

it('an event takes one line of data, whatever is in it', () => {
  const message = messageOf({
    tenantId: 'acme',
    eventId: 'e',
    kind: 'fact.stored',
    subject: 's',
    data: { text: 'two\nlines\r' },
    occurredAt: new Date(0),
    transaction: '3',
    position: '4',
  });
  expect(message.split('\n').map((line) => line.split(':')[0])).toEqual(['id', 'event', 'data', '', '']);
});
