import { describe, expect, it } from 'vitest';
import { keyWords, rankOf } from './journey-findings.js';

const reply = {
  text: 'fit: weak\n\n[chk_1] Leave (notes/leave)\nThere are 26 days\nof leave.\n\n[fact:2] ada colour = red',
  data: { results: [{ id: 'chk_1' }, { id: 'fact:2' }] },
  isError: false,
};

describe('what a search shows', () => {
  it('is ranked by where a quoted text stands', () => {
    expect(rankOf(reply, '26 days of leave')).toBe(1);
    expect(rankOf(reply, 'colour = red')).toBe(2);
    expect(rankOf(reply, 'blue')).toBe(0);
  });

  it('is asked for again by its key words', () => {
    expect(keyWords("When is a doctor's note needed?")).toBe("doctor's note needed");
  });
});
