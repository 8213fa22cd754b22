import { describe, expect, it } from 'vitest';
import { blake3Digest } from '../../../evidence/digest.js';
import { anchorNow, claimsNow } from './claim-states.rules.js';
import type { Anchor, Anchored, Claim } from './dossiers.types.js';

const TEXT = 'The port is 8080 now.';
const anchor = (more: Partial<Anchor> = {}): Anchor => ({
  ...{ kind: 'fact', id: 'f1', start: 12, end: 16, quote_blake3: blake3Digest('8080') },
  ...more,
});
const found = (more: Partial<Anchored> = {}): Anchored => ({
  ...{ state: 'holds', text: TEXT, rivals: [], subject: 'shop port' },
  ...more,
});

describe('an anchor', () => {
  it.each<[string, Partial<Anchor>, Anchored | undefined, string]>([
    ['holds while its words stand at their place', {}, found(), 'holds'],
    ['holds with the whole text', { start: null, end: null, quote_blake3: blake3Digest(TEXT) }, found(), 'holds'],
    ['holds without a quote', { start: null, end: null, quote_blake3: null }, found({ text: 'Anything' }), 'holds'],
    [
      'holds by a receipt, which has no text',
      { start: null, end: null, quote_blake3: null },
      { state: 'holds', rivals: [], subject: 'r' },
      'holds',
    ],
    ['has drifted where the words moved', {}, found({ text: ` ${TEXT}` }), 'drifted'],
    ['has drifted where the text is shorter', {}, found({ text: 'The port' }), 'drifted'],
    [
      'has drifted where the text ends before a place without a quote',
      { quote_blake3: null },
      found({ text: 'The' }),
      'drifted',
    ],
    [
      'has drifted where the fact was superseded, whatever that says',
      {},
      found({ state: 'drifted', successor: 'f2' }),
      'drifted',
    ],
    ['is unavailable where the fact was retired', {}, found({ state: 'unavailable' }), 'unavailable'],
    ['is unavailable where nothing is there', {}, undefined, 'unavailable'],
  ])('%s', (_what, more, now, state) => {
    const result = anchorNow(anchor(more), now);
    expect(result.state).toBe(state);
    expect(result.why === undefined).toBe(state === 'holds');
  });
});

describe('a claim', () => {
  const claim = (claim_id: string): Claim => ({ claim_id, text: claim_id, confidence: null, anchors: [] });
  const [a, b] = [claim('a'), claim('b')];
  const good = anchorNow(anchor(), found());
  const stale = anchorNow(anchor(), found({ state: 'drifted', successor: 'f2' }));
  const disputed = anchorNow(anchor(), found({ rivals: ['f9'] }));
  const statesOf = (...args: Parameters<typeof claimsNow>) => claimsNow(...args).map(({ state }) => state);

  it('without an anchor is unsupported, with one that does not hold stale', () => {
    expect(statesOf([a, b], [[], [good, stale]], [])).toEqual(['unsupported', 'stale']);
  });

  it('is contradicted by another current fact, and by a claim that stands', () => {
    expect(statesOf([a], [[disputed]], [])).toEqual(['contradicted']);
    expect(statesOf([a, b], [[good], [good]], [{ a: 'b', b: 'a', why: 'not both' }])).toEqual([
      'contradicted',
      'contradicted',
    ]);
  });

  it('is not contradicted by one that does not stand itself, and stale rather than contradicted', () => {
    const both = [{ a: 'a', b: 'b', why: 'not both' }];
    expect(statesOf([a, b], [[good], [stale]], both)).toEqual(['supported', 'stale']);
    expect(statesOf([a, b], [[good], []], both)).toEqual(['supported', 'unsupported']);
    expect(statesOf([a], [[stale, disputed]], [])).toEqual(['stale']);
  });

  it('says why it is not supported', () => {
    const [first] = claimsNow([a], [[stale]], []);
    expect(first!.why).toBe('fact f1: was superseded by f2');
    expect(claimsNow([a], [[good]], [])[0]).not.toHaveProperty('why');
  });
});
