import { SPLIT_TOKENS, type Block } from './chunking.types.js';
import {
  graphemeBoundaryBefore,
  lineEndBefore,
  sentenceEndBefore,
  skipWhiteSpace,
  wordStartBefore,
} from './boundaries.js';
import { trimWhiteSpace } from './boundaries.js';
import type { TokenMeter } from './token-meter.js';

/** Parts may exceed the even share by this much, so that the last one is not a crumb. */
const SLACK_TOKENS = 16;

/**
 * Divides a block into `least` or more nearly equal parts of at most SPLIT_TOKENS +
 * SLACK_TOKENS each. A part ends, in this order of preference, at a line end (lists, tables, code), a sentence end, a
 * line end, a word end or a grapheme end; all but the last only in the second half of the available space. Linear in
 * the length of the block.
 */
export function splitBlock(text: string, tokens: TokenMeter, block: Block, least = 1): Block[] {
  const all = tokens.count(block.start, block.end);
  const share = Math.ceil(all / Math.max(least, Math.ceil(all / SPLIT_TOKENS))) + SLACK_TOKENS;
  const parts: Block[] = [];
  let start = block.start;
  while (start < block.end) {
    const limit = tokens.advance(start, block.end, share);
    const cut = limit === block.end ? limit : cutBefore(text, start, limit, block.kind);
    const end = trimWhiteSpace(text, start, cut);
    if (end > start) parts.push({ ...block, start, end });
    start = skipWhiteSpace(text, cut, block.end);
  }
  return parts;
}

function cutBefore(text: string, start: number, limit: number, kind: Block['kind']): number {
  const middle = start + ((limit - start) >> 1);
  const finders = kind === 'lines' ? [lineEndBefore, sentenceEndBefore] : [sentenceEndBefore, lineEndBefore];
  for (const find of [...finders, wordStartBefore]) {
    const cut = find(text, middle, limit);
    if (cut !== -1) return cut;
  }
  return graphemeBoundaryBefore(text, start, limit);
}
