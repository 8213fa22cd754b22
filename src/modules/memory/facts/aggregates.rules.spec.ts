import { describe, expect, it } from 'vitest';
import { exactNumber } from './aggregates.rules.js';

describe('a decimal in JSON', () => {
  it.each([
    ['0', 0],
    ['-0.00', 0],
    ['0.30', 0.3],
    ['-12.50', -12.5],
    ['1000000000000000000000', 1e21],
    ['0.0000001', 1e-7],
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', '9007199254740993'],
    ['0.1000000000000000055511151231257827', '0.1000000000000000055511151231257827'],
    [`1${'0'.repeat(400)}`, `1${'0'.repeat(400)}`],
  ])('%s is %s', (decimal, value) => {
    expect(exactNumber(decimal)).toBe(value);
  });
});
