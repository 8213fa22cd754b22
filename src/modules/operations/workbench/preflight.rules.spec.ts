import { describe, expect, it } from 'vitest';
import { storedResource } from '../../coordination/punchcards/resources.types.js';
import { findingsOfPreflight, meeting, wordOf } from './preflight.rules.js';

const lease = (path: string, mode: string, own = false) => ({
  ...{ path, mode, own, resource: path, fence: 7, holder_passport: 'ada', expires_at: '2026-01-01T00:00:00.000Z' },
});

describe('a path', () => {
  it.each([
    ['src/a.ts', 'src/a.ts'],
    ['acme/shop:src/a.ts', 'src/a.ts'],
    ['README.md', 'README.md'],
    ['src', undefined],
    ['.', undefined],
    ['src/**/a.ts', undefined],
  ])('%s is looked for in texts as %s', (path, word) => {
    expect(wordOf(storedResource(path))).toBe(word);
  });

  it('is met by what holds a folder above it, or a file below', () => {
    const others = ['src', 'src/a', 'src/a/b.ts', 'docs', 'src/*'];
    expect(meeting(storedResource('src/a'), others, (one) => one)).toEqual(['src', 'src/a', 'src/a/b.ts', 'src/*']);
  });
});

describe('what a preflight finds', () => {
  const none = { leases: [], intents: [], work: [], dependants: [] };

  it('is nothing where only who asks holds anything', () => {
    expect(findingsOfPreflight({ ...none, leases: [lease('src/a', 'write', true)] })).toEqual([]);
  });

  it('fails for what another writes, one finding a path', () => {
    const leases = [lease('src/a', 'write'), lease('src/a', 'write'), lease('src/b', 'read')];
    const found = findingsOfPreflight({ ...none, leases });
    expect(found.map(({ id, severity, subject, evidence }) => [id, severity, subject, evidence.length])).toEqual([
      ['impact.path_held', 'fail', 'src/a', 2],
      ['impact.path_read', 'warn', 'src/b', 1],
    ]);
  });

  it('only says what depends on it', () => {
    const dependants = [{ path: 'src/a', kind: 'fact', ref: 'f', how: 'file:src/a owner', distance: 1 }];
    expect(findingsOfPreflight({ ...none, dependants })[0]).toMatchObject({ severity: 'info', subject: 'src/a' });
  });
});
