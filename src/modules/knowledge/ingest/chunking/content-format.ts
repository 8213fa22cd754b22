import type { ContentFormat } from './chunking.types.js';

/** How much of a document is looked at when its format is not stated. */
const SNIFFED_UNITS = 16_384;

const HTML_START = /^[\s\uFEFF]*<(?:!doctype\s+html|html|head|body)[\s>]/i;
const TAG_START = /^[\s\uFEFF]*<(?:!--|[a-z][a-z0-9]*[\s>/])/i;
const CLOSING_BLOCK_TAG =
  /<\/(?:p|div|h[1-6]|ul|ol|li|table|tr|td|section|article|main|header|footer|nav|span|pre|blockquote)\s*>/i;
const MARKDOWN_SIGNS = [
  /^ {0,3}#{1,6}[ \t]+\S/m,
  /^ {0,3}(?:```|~~~)/m,
  /^ {0,3}\|?[ \t]*:?-{2,}:?[ \t]*\|[ \t|:-]*$/m,
  /^ {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+\S[^\n]*\n(?:[^\n]+\n)?[ \t]{0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+\S/m,
  /\[[^\]\n]{1,200}\]\((?:https?:|\/|\.|#)[^)\s]{0,500}\)/,
  /^ {0,3}>[ \t]\S/m,
];

/**
 * The format of a document. A stated content type decides: `text/html` and `application/xhtml+xml` are HTML,
 * `text/markdown` and `text/x-markdown` are Markdown, every other one is plain text; parameters such as charset are
 * ignored. When none is stated: HTML if the text begins with an HTML document's first tag, or begins with any tag and
 * closes a block element; Markdown if its first 16 Ki code units hold an ATX heading, a code fence, a table's delimiter
 * row, two list items in a row, a block quote or a link; plain text otherwise.
 */
export function formatOf(content: string, contentType?: string): ContentFormat {
  if (contentType !== undefined) return formatOfType(contentType);
  const head = content.slice(0, SNIFFED_UNITS);
  if (HTML_START.test(head) || (TAG_START.test(head) && CLOSING_BLOCK_TAG.test(head))) return 'html';
  return MARKDOWN_SIGNS.some((sign) => sign.test(head)) ? 'markdown' : 'text';
}

function formatOfType(contentType: string): ContentFormat {
  const essence = contentType.split(';', 1)[0]!.trim().toLowerCase();
  if (essence === 'text/html' || essence === 'application/xhtml+xml') return 'html';
  return essence === 'text/markdown' || essence === 'text/x-markdown' ? 'markdown' : 'text';
}
