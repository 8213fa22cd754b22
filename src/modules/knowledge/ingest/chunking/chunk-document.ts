import type { ChunkSpan, ContentFormat, ExtractedText } from './chunking.types.js';
import { extractHtml } from './html.js';
import { extractMarkdown } from './markdown.js';
import { packBlocks } from './pack-blocks.js';
import { extractPlainText } from './plain-text.js';

/**
 * A passage of a document. `start` and `end` are offsets into the document's source in UTF-16 code units, `end`
 * exclusive. In HTML a passage may reach over another one's source, where a browser too shows text elsewhere than it is
 * written (text between table rows).
 */
export interface ChunkText {
  readonly start: number;
  readonly end: number;
  readonly headingPath: readonly string[];
  /**
   * For text and Markdown exactly `source.slice(start, end)`. For HTML the readable text of that stretch: mark-up and
   * hidden elements left out, character references decoded, white space collapsed, an empty line between blocks, `- `
   * before list items, ` | ` between table cells.
   */
  readonly content: string;
}

const EXTRACTORS: Record<ContentFormat, (source: string) => ExtractedText> = {
  text: extractPlainText,
  markdown: extractMarkdown,
  html: extractHtml,
};

/**
 * Divides a document into passages, in document order. The same source always gives the same passages. A document
 * without readable text (only white space, or HTML with nothing to show) has none.
 */
export function chunkDocument(source: string, format: ContentFormat): ChunkText[] {
  const extracted = EXTRACTORS[format](source);
  return packBlocks(extracted).map((span) => toChunk(extracted, span));
}

function toChunk(extracted: ExtractedText, { start, end, headingPath }: ChunkSpan): ChunkText {
  const [from, to] = extracted.sourceRange(start, end);
  return { start: from, end: to, headingPath, content: extracted.text.slice(start, end) };
}
