import { extname } from 'node:path';

/** Endings of what is sent as text (POST /v1/ingest/batch). */
export const TEXT_TYPES: Record<string, string> = {
  ...typed('text/markdown', '.md .markdown .mdown .mkd .mdx'),
  ...typed('text/plain', '.txt .text .rst .adoc .asciidoc .org'),
  ...typed('text/html', '.html .htm .xhtml'),
};

const OFFICE = 'application/vnd.openxmlformats-officedocument';

/** Endings of what is sent as a file (POST /v1/ingest/file). */
const FILE_TYPES: Record<string, string> = {
  '.pdf': 'application/pdf',
  '.docx': `${OFFICE}.wordprocessingml.document`,
  '.pptx': `${OFFICE}.presentationml.presentation`,
  '.xlsx': `${OFFICE}.spreadsheetml.sheet`,
  '.csv': 'text/csv',
  '.tsv': 'text/tab-separated-values',
  '.json': 'application/json',
  '.epub': 'application/epub+zip',
  '.rtf': 'application/rtf',
  '.eml': 'message/rfc822',
};

const TAKEN_TYPES = new Set([...Object.values(FILE_TYPES), ...Object.values(TEXT_TYPES), 'application/xhtml+xml']);
const SENT_AS_TEXT = new Set([...Object.values(TEXT_TYPES), 'application/xhtml+xml']);

/** The endings of what is sent as text. */
export const TEXT_ENDINGS = Object.keys(TEXT_TYPES).join(' ');

/** The media type of a file by its name; undefined of what is not taken. */
export function mediaTypeOf(name: string): string | undefined {
  const ending = extname(name).toLowerCase();
  return TEXT_TYPES[ending] ?? FILE_TYPES[ending];
}

export const isTakenType = (contentType: string): boolean => TAKEN_TYPES.has(contentType);

/** Whether what is of this type goes as text, or as a file. */
export const isTextType = (contentType: string): boolean => SENT_AS_TEXT.has(contentType);

function typed(contentType: string, endings: string): Record<string, string> {
  return Object.fromEntries(endings.split(' ').map((ending) => [ending, contentType]));
}
