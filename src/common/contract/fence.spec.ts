import { describe, expect, it } from 'vitest';
import { fenceIn } from './fence.js';

describe('the fence of a request', () => {
  it('is a whole number above 0, or missing', () => {
    expect(fenceIn({ headers: {} })).toBeUndefined();
    expect(fenceIn({ headers: { 'x-svc-fence': '1' } })).toBe(1);
    expect(fenceIn({ headers: { 'x-svc-fence': '9007199254740991' } })).toBe(Number.MAX_SAFE_INTEGER);
  });

  it.each(['', '0', '-1', '1.5', '01', '1e3', 'abc', ' 1', '1, 2', '9007199254740992', '99999999999999999999'])(
    'is refused as %j, by the name of the header',
    (sent) => {
      expect(() => fenceIn({ headers: { 'x-svc-fence': sent } })).toThrow('headers.x-svc-fence: is a whole number');
    },
  );

  it('is refused when it came twice', () => {
    expect(() => fenceIn({ headers: { 'x-svc-fence': ['1', '2'] } })).toThrow('sent once');
  });
});
