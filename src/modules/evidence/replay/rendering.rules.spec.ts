import { describe, expect, it } from 'vitest';
import type { ResolvedCitation } from '../../knowledge/citations/citations.types.js';
import { renderAnswer } from './rendering.rules.js';

const cited = (content: string, more: Partial<ResolvedCitation> = {}): ResolvedCitation => ({
  chunk: {
    chunkId: 'chk_1',
    ownerTenantId: 'acme',
    corpusId: 'handbook',
    docId: 'leave',
    docVersion: 3,
    title: null,
    url: null,
    content,
    contentHash: 'blake3:00',
    current: true,
    shareability: null,
  },
  start: null,
  end: null,
  quote: null,
  note: null,
  ...more,
});

describe('a rendered answer', () => {
  it('is its text with one line for each citation', () => {
    const citations = [cited('A\n passage.'), cited('all of it', { quote: 'of', note: 'why\nnot' })];
    expect(renderAnswer('Yes.\n\nIndeed.', citations)).toBe(
      'Yes.\n\nIndeed.\n\nCitations\n[1] "A passage." (leave, handbook/leave, version 3)\n[2] "of" (leave, handbook/leave, version 3); why not',
    );
    expect(renderAnswer(null, [])).toBe('Citations');
  });

  it('shows the beginning of a long passage, never half a character, and what is to be said about it', () => {
    const [, line] = renderAnswer(null, [cited(`${'x'.repeat(239)}😀 and on`)], ['gone']).split('\n');
    expect(line).toBe(`[1] "${'x'.repeat(239)}\ufffd…" (leave, handbook/leave, version 3); gone`);
  });
});
