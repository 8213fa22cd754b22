import { describe, expect, it } from 'vitest';
import { blake3Digest } from '../../../evidence/digest.js';
import type { VisibleChunk } from './citations.types.js';
import { passageNow } from './source-states.rules.js';
import { categoriesOf, worstState, type PassageThen } from './source-states.types.js';

const then: PassageThen = {
  ownerTenantId: 'acme',
  corpusId: 'handbook',
  docId: 'leave',
  contentHash: blake3Digest('text'),
  title: 'Leave',
  url: null,
};
const standing = (members: Partial<VisibleChunk> = {}): VisibleChunk => ({
  ...then,
  chunkId: 'chk_2',
  docVersion: 2,
  title: 'Leave',
  url: null,
  content: 'text',
  current: true,
  shareability: 'owner_only',
  ...members,
});

describe('a passage', () => {
  it.each<[string, Parameters<typeof passageNow>[1], string, string[]]>([
    ['holds in the version it was of, or a newer one', { version: 2, standing: standing() }, 'holds', []],
    [
      'holds under another title',
      { version: 2, standing: standing({ title: 'Time off' }) },
      'holds',
      ['metadata_changed'],
    ],
    [
      'holds under another address',
      { version: 2, standing: standing({ url: 'https://example.org' }) },
      'holds',
      ['metadata_changed'],
    ],
    ['has drifted where the document no longer has it', { version: 2, standing: null }, 'drifted', ['source_changed']],
    ['is unavailable with its document', { version: null, standing: null }, 'unavailable', ['source_deleted']],
    [
      'is unavailable while its document is set aside',
      { version: null, standing: null, quarantined: true },
      'unavailable',
      ['quarantined'],
    ],
    [
      'is unknown where its stored text is another',
      { version: 2, standing: standing({ content: 'texT' }) },
      'unknown',
      [],
    ],
  ])('%s', (_what, seen, state, drift) => {
    const { version, standing } = seen;
    expect(passageNow(then, seen, 'acme')).toEqual({ version, standing, state, drift });
  });

  it('of another tenant is lost without saying why', () => {
    expect(passageNow(then, { version: null, standing: null }, 'reader').drift).toEqual(['access_lost']);
  });

  it('has no other title where none was recorded', () => {
    const { title: _title, url: _url, ...unnamed } = then;
    expect(passageNow(unnamed, { version: 2, standing: standing({ title: 'Time off' }) }, 'acme').drift).toEqual([]);
  });
});

describe('several passages', () => {
  it('are as the worst of them', () => {
    expect(worstState([])).toBe('holds');
    expect(worstState(['holds', 'drifted', 'unknown'])).toBe('drifted');
    expect(worstState(['unavailable', 'drifted'])).toBe('unavailable');
  });

  it('name each category once, in one order', () => {
    expect(categoriesOf(['metadata_changed', 'source_changed', 'metadata_changed'])).toEqual([
      'source_changed',
      'metadata_changed',
    ]);
  });
});
