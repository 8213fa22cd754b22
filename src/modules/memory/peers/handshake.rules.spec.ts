import { describe, expect, it } from 'vitest';
import { checkTimes } from './handshake.rules.js';

const NOW = 1_800_000_000;
const check = (created: number, expires?: number) => () => checkTimes({ created, expires }, NOW);

describe('the times of a signature', () => {
  it('are those of now, clocks differing by a minute', () => {
    for (const created of [NOW - 179, NOW, NOW + 60]) expect(check(created)).not.toThrow();
    expect(check(NOW - 179, NOW + 1)).not.toThrow();
    expect(check(NOW, NOW + 1_000_000)).not.toThrow();
  });

  it('have ended by age, or by what the signer says', () => {
    expect(check(NOW - 180)).toThrow('It held until');
    expect(check(NOW - 180, NOW + 60)).toThrow('It held until');
    expect(check(NOW, NOW)).toThrow('It held until');
    expect(check(0)).toThrow('1970-01-01T00:03:00.000Z');
  });

  it('are not of later', () => expect(check(NOW + 61)).toThrow('look at the clocks'));
});
