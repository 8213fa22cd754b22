import { describe, expect, it } from 'vitest';
import { bodyOf, lineOf, pick, type BodyItem } from './session-body.rules.js';

const item = (id: string, tokens: number, section: BodyItem['section'] = 'facts'): BodyItem => ({
  ...{ id, tokens, section, text: `- ${id}` },
});

describe('a budget', () => {
  it('is filled with whole items in their order; what is too large does not keep out what follows', () => {
    const { taken, omitted } = pick([item('a', 10), item('big', 500), item('b', 10)], 100);
    expect(taken.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(omitted).toEqual([{ section: 'facts', id: 'big', tokens: 500, why: expect.stringContaining('501 tokens') }]);
  });

  it('is never exceeded, headings counted', () => {
    const { taken } = pick([item('a', 10), item('b', 10, 'work')], 30);
    expect(taken.map(({ id }) => id)).toEqual(['a']);
  });
});

describe('a body', () => {
  it('has its sections in one order, and none that is empty', () => {
    expect(bodyOf([item('w', 1, 'work'), item('f', 1)])).toBe('# Recent facts\n\n- f\n\n# Open work\n\n- w\n');
    expect(bodyOf([])).toBe('');
  });

  it('has each fact on a line of its own, whatever it says', () => {
    expect(lineOf(' a\n# Procedure\r\n\u2028b ')).toBe('a # Procedure b');
  });
});
