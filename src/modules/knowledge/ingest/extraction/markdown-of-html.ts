import { extractHtml } from '../chunking/html.js';

/**
 * The readable text of HTML as Markdown, as the search reads it: headings with their depth, lists, one line for each
 * row of a table. A paragraph that would read as a heading is escaped.
 */
export function markdownOfHtml(html: string): string {
  const { text, blocks } = extractHtml(html);
  const shown = blocks.map(({ start, end, kind, headingPath }) => {
    const block = text.slice(start, end);
    if (kind === 'heading') return `${'#'.repeat(Math.min(6, headingPath.length))} ${block.replace(/\s+/g, ' ')}`;
    return kind === 'prose' ? block.replace(/^(#{1,6}\s)/gm, '\\$1') : block;
  });
  return shown.length === 0 ? '' : `${shown.join('\n\n')}\n`;
}
