import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, posix, resolve, sep } from 'node:path';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { readBytesBelow } from '../../common/config/text-below.js';
import { sha256Digest } from '../../evidence/digest.js';
import { UserError } from '../output.js';
import { walkFolder } from './folder-walk.js';
import type { DocumentOrigin, Found, LeftOut, Source, SourceEntry } from './sources.types.js';
import { isTextType, mediaTypeOf } from './media-types.js';
import { textIn, titleOf, unreadable } from './text-files.js';

export interface FolderOptions {
  /** Address under which the files can be read; it names the root, too. */
  baseUrl?: string;
  /** Before the path, in the docId. */
  prefix?: string;
  /** Bytes of a file. */
  maxBytes: number;
}

/** A docId is at most so long (POST /v1/ingest). */
export const MAX_ID_LENGTH = 512;

/** Signs of a pattern (node:path matchesGlob). */
const PATTERN = /[*?[\]{}!]/;

/** What of a file shows that it was not written since. */
interface SeenFile {
  stamp: string;
  digest: string;
}

/** The files of a folder, those of them that match a pattern, or one file, which belongs to its folder. */
export class FolderSource implements Source {
  readonly root: string;
  private readonly seen = new Map<string, SeenFile>();

  private constructor(
    readonly folder: string,
    private readonly takes: (path: string) => boolean,
    private readonly options: FolderOptions,
    readonly named?: string,
    private readonly onlyFile?: string,
  ) {
    this.root = options.baseUrl ?? pathToFileURL(folder + sep).href;
  }

  /** @throws UserError where there is nothing of that name */
  static open(named: string, options: FolderOptions): FolderSource {
    const path = resolve(named);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory()) return new FolderSource(realpathSync(path), () => true, options);
    if (found?.isFile()) {
      const [folder, file] = [realpathSync(dirname(path)), basename(path)];
      return new FolderSource(folder, (name) => name === file, options, named, file);
    }
    const parts = named.split('/');
    const first = parts.findIndex((part) => PATTERN.test(part));
    if (first < 0) throw new UserError(`There is no file or folder ${named}`);
    const base = resolve(parts.slice(0, first).join('/') || (named.startsWith('/') ? '/' : '.'));
    if (!existsSync(base)) throw new UserError(`There is no folder ${base}, in which ${named} could be found`);
    const pattern = parts.slice(first).join('/');
    return new FolderSource(realpathSync(base), (name) => posix.matchesGlob(name, pattern), options, named);
  }

  covers(docId: string): boolean {
    const { prefix = '' } = this.options;
    return docId.startsWith(prefix) && this.takes(docId.slice(prefix.length));
  }

  async list(): Promise<{ entries: SourceEntry[]; leftOut: LeftOut[] }> {
    const found = this.onlyFile === undefined ? await walkFolder(this.folder) : { files: this.one(), leftOut: [] };
    const leftOut = found.leftOut.filter(({ name }) => name.endsWith('/') || this.takes(name));
    const listed = {
      entries: [] as SourceEntry[],
      leftOut: leftOut.map((one) => ({ ...one, name: this.idOf(one.name) })),
    };
    for (const { path } of found.files.filter((file) => this.takes(file.path))) {
      const docId = this.idOf(path);
      const fault = faultOfName(path, docId);
      if (fault !== undefined) listed.leftOut.push({ name: docId, ...fault });
      else listed.entries.push({ docId, url: this.urlOf(path), read: (origin) => this.read(path, origin) });
    }
    return listed;
  }

  private one(): { path: string }[] {
    const path = this.onlyFile!;
    return existsSync(join(this.folder, path)) ? [{ path }] : [];
  }

  private idOf(path: string): string {
    return (this.options.prefix ?? '') + path;
  }

  private urlOf(path: string): string {
    const { baseUrl } = this.options;
    if (baseUrl === undefined) return pathToFileURL(join(this.folder, path)).href;
    return baseUrl + path.split('/').map(encodeURIComponent).join('/');
  }

  /** Of what a walk found nothing is read by way of a link; a file that was named may be one. */
  private async placeOf(path: string): Promise<[folder: string, name: string]> {
    if (this.onlyFile === undefined) return [this.folder, path];
    const real = await realpath(join(this.folder, path));
    return [dirname(real), basename(real)];
  }

  private async read(path: string, origin: DocumentOrigin | undefined): Promise<Found> {
    try {
      const [folder, name] = await this.placeOf(path);
      const { size, mtimeMs, ctimeMs, ino } = await lstat(join(folder, name));
      const stamp = [size, mtimeMs, ctimeMs, ino].join(' ');
      const seen = this.seen.get(path);
      if (seen?.stamp === stamp && seen.digest === origin?.digest) return { kind: 'unchanged' };
      if (size > this.options.maxBytes)
        return leftOut(`larger than ${this.options.maxBytes / (1024 * 1024)} MiB (--max-size)`);
      const bytes = await readBytesBelow(folder, name, this.options.maxBytes);
      const digest = sha256Digest(bytes);
      this.seen.set(path, { stamp, digest });
      return foundIn(bytes, { digest, name: path, contentType: mediaTypeOf(path)! });
    } catch (error) {
      return leftOut(unreadable(error));
    }
  }
}

const leftOut = (reason: string): Found => ({ kind: 'left out', reason });

/** What bytes are sent as: text where they are text of UTF-8 or UTF-16, else a file. */
function foundIn(
  bytes: Buffer<ArrayBuffer>,
  { digest, name, contentType }: { digest: string; name: string; contentType: string },
): Found {
  const file = { kind: 'file', bytes, digest, contentType, fileName: posix.basename(name) } as const;
  if (bytes.length === 0) return leftOut('empty');
  if (!isTextType(contentType)) return file;
  const read = textIn(bytes, contentType);
  // The server finds out other character sets.
  if (read.text === undefined) return read.isEncoding ? file : leftOut(read.fault);
  return { kind: 'text', text: read.text, title: titleOf(read.text, name), contentType, digest };
}

function faultOfName(path: string, docId: string): Omit<LeftOut, 'name'> | undefined {
  if (mediaTypeOf(path) === undefined) return { reason: 'of a type that is not taken', byRule: true };
  if (docId.length > MAX_ID_LENGTH) return { reason: `a path of more than ${MAX_ID_LENGTH} characters` };
  return undefined;
}
