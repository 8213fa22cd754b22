import { describe, expect, it } from 'vitest';
import { cutToTokens } from './cut-text.js';
import { countTokens } from './tokenizer.js';

describe('a text cut to tokens', () => {
  it.each([
    ['short', 5, 'short'],
    ['one two three four', 2, 'one two'],
    ['one two three four', 4, 'one two three four'],
    ['anything', 0, ''],
  ])('of %j at most %i are %j', async (text, limit, kept) => {
    expect(await cutToTokens(text, limit)).toBe(kept);
  });

  it('keeps as much as the limit allows, never half of a sign', async () => {
    const text = `${'The ship 🚢 lies at anchor. '.repeat(200)}${'😀'.repeat(2000)}`;
    const kept = await cutToTokens(text, 900);
    expect(text.startsWith(kept)).toBe(true);
    expect(kept.isWellFormed()).toBe(true);
    expect(await countTokens(kept)).toBeLessThanOrEqual(900);
    expect(await countTokens(kept)).toBeGreaterThan(890);
  });

  it('is quick with a run that nothing divides', async () => {
    const began = performance.now();
    await cutToTokens('a'.repeat(200_000), 1000);
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});
