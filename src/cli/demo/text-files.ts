import { readdirSync, readFileSync, statSync, type Dirent } from 'node:fs';
import { extname, join } from 'node:path';
import { getSystemErrorMessage } from 'node:util';
import { UserError } from '../output.js';

export interface FolderFile {
  path: string;
  /** From the folder on, with slashes. */
  name: string;
}

/** A file or folder that is not ingested. */
export interface LeftOut {
  name: string;
  reason: string;
}

const CONTENT_TYPES: Record<string, string> = {
  ...typed('text/markdown', '.md .markdown .mdown .mkd .mdx'),
  ...typed('text/plain', '.txt .text .rst .adoc .asciidoc .org'),
  ...typed('text/html', '.html .htm .xhtml'),
};
/** The endings of what can be ingested. */
export const TEXT_ENDINGS = Object.keys(CONTENT_TYPES).join(' ');

/** The content cap of the API (D16). */
const MAX_BYTES = 4 * 1024 * 1024;
const UTF_8 = 'utf-8';

/**
 * The files of a folder, or of a folder in it, and of those in that, by name; and what none of these can be.
 * @throws UserError when there is no such folder
 */
export function listFiles(root: string, inside = ''): { files: FolderFile[]; leftOut: LeftOut[] } {
  if (!statSync(root, { throwIfNoEntry: false })?.isDirectory()) throw new UserError(`There is no folder ${root}`);
  const files: FolderFile[] = [];
  const leftOut: LeftOut[] = [];
  const walk = (folder: string): void => {
    for (const entry of entriesOf(join(root, folder), (reason) => leftOut.push({ name: folder || '.', reason }))) {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
      const fault = faultOf(entry);
      if (fault !== undefined) leftOut.push({ name: entry.isDirectory() ? `${name}/` : name, reason: fault });
      else if (entry.isDirectory()) walk(name);
      else files.push({ path: join(root, name), name });
    }
  };
  walk(inside);
  return { files, leftOut };
}

function entriesOf(folder: string, refuse: (reason: string) => void): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    refuse(unreadable(error));
    return [];
  }
}

function faultOf(entry: Dirent): string | undefined {
  if (entry.name.startsWith('.')) return 'hidden';
  if (entry.isDirectory()) return entry.name === 'node_modules' ? 'installed packages' : undefined;
  if (entry.isSymbolicLink()) return 'a symbolic link';
  if (!entry.isFile()) return 'no regular file';
  return CONTENT_TYPES[extname(entry.name).toLowerCase()] ? undefined : 'of a type that is not taken';
}

export type ReadText = { text: string; contentType: string } | { text?: undefined; fault: string };

/** The text of a file in UTF-8, or in UTF-16 where its byte order mark says so; or what is wrong with it. */
export function readText(path: string): ReadText {
  let bytes: Buffer;
  try {
    if (statSync(path).size > 2 * MAX_BYTES) return TOO_LARGE;
    bytes = readFileSync(path);
  } catch (error) {
    return { fault: unreadable(error) };
  }
  const encoding = encodingOf(bytes);
  const text = decode(bytes, encoding);
  if (text === undefined && encoding === UTF_8)
    return { fault: 'not in UTF-8 (save it as UTF-8, or as UTF-16 with a byte order mark)' };
  if (text === undefined) return { fault: `not in ${encoding.toUpperCase()}, as its byte order mark says` };
  if (text.includes('\0')) return { fault: 'not text' };
  if (text.trim() === '') return { fault: 'empty' };
  if (Buffer.byteLength(text) > MAX_BYTES) return TOO_LARGE;
  return { text, contentType: CONTENT_TYPES[extname(path).toLowerCase()]! };
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

function unreadable(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException;
  return `cannot be read (${errno === undefined ? message : getSystemErrorMessage(errno)})`;
}

function typed(contentType: string, endings: string): Record<string, string> {
  return Object.fromEntries(endings.split(' ').map((ending) => [ending, contentType]));
}
