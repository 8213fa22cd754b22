import { describe, expect, it } from 'vitest';
import { mayBecome, namesOf, windowOf } from './incidents.rules.js';

describe('the status of an incident', () => {
  it('stays what it is, and is opened again once closed', () => {
    expect(mayBecome('open', 'open')).toBe(true);
    expect(mayBecome('closed', 'open')).toBe(true);
  });

  it('is not contained once it is closed', () => {
    expect(mayBecome('closed', 'contained')).toBe(false);
  });
});

describe('a window', () => {
  it('has no end while it goes on', () => {
    expect(windowOf({ from: '2026-01-31T12:00:00Z' })).toEqual({ from: new Date('2026-01-31T12:00:00Z'), to: null });
    expect(windowOf({ from: '2026-01-31T12:00:00Z', to: null })?.to).toBe(null);
  });

  it('may be a moment, and does not end before it begins, whatever the offsets', () => {
    expect(windowOf({ from: '2026-01-31T12:00:00Z', to: '2026-01-31T13:00:00+01:00' })).toBeDefined();
    expect(windowOf({ from: '2026-01-31T12:00:00Z', to: '2026-01-31T12:59:59+01:00' })).toBeUndefined();
  });
});

it('names are kept once', () => {
  expect(namesOf(['b', 'a', 'b'])).toEqual(['b', 'a']);
  expect(namesOf()).toEqual([]);
});
