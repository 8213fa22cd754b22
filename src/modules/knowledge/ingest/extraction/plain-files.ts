import { titleOfHtml } from '../chunking/html-tree.js';
import { charsetOf, FILE_KINDS } from './file-kind.rules.js';
import { decodeText } from './decode-text.js';
import { UnreadableFile, type ExtractedFile, type SentFile } from './extraction.types.js';

/** Text, Markdown and HTML are documents as they are, once decoded. */
const asIs = (kind: 'text' | 'markdown' | 'html', contentType: ExtractedFile['contentType']) => {
  return ({ bytes, mediaType }: SentFile): ExtractedFile => {
    const stated = charsetOf(mediaType) ?? (kind === 'html' ? declaredCharset(bytes) : undefined);
    const text = decodeText(bytes, stated);
    if (text.trim() === '') throw new UnreadableFile('The file holds only white space.');
    const title = kind === 'html' ? titleOfHtml(text) : undefined;
    return { text, contentType, mediaType: FILE_KINDS[kind], title, locations: [] };
  };
};

export const readText = asIs('text', 'text/plain');
export const readMarkdown = asIs('markdown', 'text/markdown');
export const readHtml = asIs('html', 'text/html');

/** What a page says of its own character set in its first 1,024 bytes (HTML, 4.2.5.4). */
function declaredCharset(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 1024)).toString('latin1');
  return /<meta[^>]{0,200}charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(head)?.[1];
}
