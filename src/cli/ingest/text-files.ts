import { readFile, stat } from 'node:fs/promises';
import { getSystemErrorMessage } from 'node:util';
import { titleOfHtml } from '../../modules/knowledge/ingest/chunking/html-tree.js';
import { mediaTypeOf, TEXT_TYPES } from './media-types.js';

/** The content cap of the API (D16). */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;
const UTF_8 = 'utf-8';

/** `isEncoding`: only its character set is in the way. */
export type ReadText = { text: string; contentType: string } | { text?: undefined; fault: string; isEncoding?: true };

/** The text of a file, or what is wrong with it. */
export async function readText(path: string): Promise<ReadText> {
  try {
    if ((await stat(path)).size > 2 * MAX_TEXT_BYTES) return TOO_LARGE;
    return textIn(await readFile(path), mediaTypeOf(path) ?? TEXT_TYPES['.txt']!);
  } catch (error) {
    return { fault: unreadable(error) };
  }
}

/** Bytes in UTF-8, or in UTF-16 where their byte order mark says so, as text; or what is wrong with them. */
export function textIn(bytes: Buffer, contentType: string): ReadText {
  const encoding = encodingOf(bytes);
  const text = decode(bytes, encoding);
  if (text === undefined && encoding === UTF_8)
    return { fault: 'not in UTF-8 (save it as UTF-8, or as UTF-16 with a byte order mark)', isEncoding: true };
  if (text === undefined) return { fault: `not in ${encoding.toUpperCase()}, as its byte order mark says` };
  return checkedText(text, contentType);
}

/** A text as it may be ingested, or why it may not. */
export function checkedText(text: string, contentType: string): ReadText {
  if (text.includes('\0')) return { fault: 'not text' };
  if (text.trim() === '') return { fault: 'empty' };
  if (Buffer.byteLength(text) > MAX_TEXT_BYTES) return TOO_LARGE;
  return { text, contentType };
}

const TOO_LARGE = { fault: 'larger than 4 MiB' };

function encodingOf([first, second]: Buffer): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : UTF_8;
}

/** Without its byte order mark; undefined when it is not in that encoding. */
function decode(bytes: Buffer, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The first heading of Markdown, the title of HTML, or the name. */
export function titleOf(content: string, name: string): string {
  const title = (/^#\s+(.+)$/m.exec(content)?.[1] ?? titleOfHtml(content) ?? name).replaceAll(/\s+/g, ' ').trim();
  return title.slice(0, 200).toWellFormed() || name;
}

export function unreadable(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException;
  return `cannot be read (${errno === undefined ? message : getSystemErrorMessage(errno)})`;
}
