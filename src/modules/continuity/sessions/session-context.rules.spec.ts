import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { countTokensWithin } from '../../../common/tokens/tokenizer.js';
import { fill, type Section } from './session-context.rules.js';

const section = (share: number, ...units: string[]): Section => ({ heading: `## ${share}\n`, share, units });
const words = (count: number): string => `- ${'word '.repeat(count).trim()}\n`;

describe('filling a budget', () => {
  it('gives each section its share before it gives what is left, in order', async () => {
    const big = section(50, ...Array.from({ length: 20 }, () => words(10)));
    const small = section(20, words(5), words(5), words(5));
    const { taken, tokens } = await fill([big, small], 100, countTokensWithin);
    expect(taken[1]).toEqual([0, 1]);
    expect(taken[0]!.length).toBeGreaterThan(3);
    expect(tokens).toBeLessThanOrEqual(100);
    const alone = await fill([big, section(20)], 100, countTokensWithin);
    expect(alone.taken[0]!.length).toBeGreaterThan(taken[0]!.length);
  });

  it('takes a smaller unit where a larger one before it does not fit, and never cuts one', async () => {
    const { taken, text } = await fill([section(100, words(200), words(3))], 60, countTokensWithin);
    expect([taken, text]).toEqual([[[1]], `# Session context\n## 100\n${words(3)}`]);
  });

  it('counts what it makes exactly, for every budget', async () => {
    const sections = [section(40, words(7), words(1), '- \u{1f998} a/b\n  /c\n'), section(30, '- ...\n', words(2))];
    for (let budget = 0; budget < 60; budget++) {
      const { text, tokens } = await fill(sections, budget, countTokensWithin);
      expect([budget, tokens, tokens <= budget]).toEqual([budget, countTokens(text), true]);
    }
  });

  it('shows no heading without anything under it', async () => {
    expect((await fill([section(50), section(50, words(500))], 50, countTokensWithin)).text).toBe(
      '# Session context\n',
    );
    expect(await fill([section(50, words(1))], 1, countTokensWithin)).toEqual({ taken: [[]], text: '', tokens: 0 });
  });
});
