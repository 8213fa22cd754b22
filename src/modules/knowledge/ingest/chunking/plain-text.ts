import type { Block, ExtractedText } from './chunking.types.js';
import { skipWhiteSpace, trimWhiteSpace } from './boundaries.js';
import { TokenMeter } from './token-meter.js';

/** Reads plain text: blocks are paragraphs, divided by blank lines (LF, CRLF or CR). */
export function extractPlainText(source: string): ExtractedText {
  return identityText(source, paragraphsOf(source, 0, source.length, []));
}

/** A text whose offsets are those of its source. */
export function identityText(source: string, blocks: Block[], tokens = new TokenMeter(source)): ExtractedText {
  return { text: source, blocks, tokens, sourceRange: (start, end) => [start, end] };
}

/** The paragraphs of `text.slice(start, end)` as prose blocks. */
export function paragraphsOf(text: string, start: number, end: number, headingPath: readonly string[]): Block[] {
  const blocks: Block[] = [];
  const blankLine = /(?:\r\n|\n|\r)[^\S\r\n]*(?:\r\n|\n|\r)/g;
  blankLine.lastIndex = start;
  let from = start;
  while (from < end) {
    const match = blankLine.exec(text);
    const to = match === null || match.index > end ? end : match.index;
    pushBlock(blocks, text, { start: from, end: to, kind: 'prose', headingPath });
    from = match === null ? end : blankLine.lastIndex;
  }
  return blocks;
}

/** Adds a block without the white space around it, if anything is left. */
export function pushBlock(blocks: Block[], text: string, block: Block): void {
  const start = skipWhiteSpace(text, block.start, block.end);
  const end = trimWhiteSpace(text, start, block.end);
  if (start < end) blocks.push({ ...block, start, end });
}
