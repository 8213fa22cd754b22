import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { LOG, type Log } from '../../../common/observability/log.js';
import { sha256 } from '../../../evidence/sha256.js';
import { atConsole } from './console-index.rules.js';

/** A content coding that a file is kept in (RFC 9110, 8.4.1). */
export type Coding = 'br' | 'gzip';
type Compress = (bytes: Uint8Array) => Promise<Uint8Array>;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.map': 'application/json',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};
/** What is compressed in its own format already. */
const IS_COMPRESSED = new Set(['.png', '.woff2']);
/** Somebody waits for the first answer in a coding: higher ones take many times as long for a few per cent. */
const BROTLI_QUALITY = 6;
const COMPRESSIONS: Record<Coding, Compress> = {
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: promisify(gzip),
};

/** One file of the console, as it was when the daemon started. */
export class ConsoleFile {
  readonly digest: string;
  readonly isCompressible: boolean;
  private readonly coded = new Map<Coding, Promise<Uint8Array>>();

  constructor(
    readonly name: string,
    readonly bytes: Uint8Array,
  ) {
    this.digest = sha256(bytes).toString('base64url').slice(0, 22);
    this.isCompressible = !IS_COMPRESSED.has(extname(name));
  }

  get contentType(): string {
    return TYPES[extname(this.name)] ?? 'application/octet-stream';
  }

  /** The bytes in a coding: compressed once, when it is first asked for. */
  in(coding: Coding | undefined): Promise<Uint8Array> {
    if (coding === undefined || !this.isCompressible) return Promise.resolve(this.bytes);
    const known = this.coded.get(coding) ?? COMPRESSIONS[coding](this.bytes);
    this.coded.set(coding, known);
    return known;
  }
}

/**
 * The built console, read once. An address is answered from this map alone and never from the file system, so that
 * no name that a client makes up leads to a file.
 */
@Injectable()
export class ConsoleFiles implements OnModuleInit {
  private readonly folder: string;
  private readonly assets = new Map<string, ConsoleFile>();
  /** The page of the app; undefined where it was not built. */
  index: ConsoleFile | undefined;
  icon: ConsoleFile | undefined;

  constructor(
    @Inject(SETTINGS) { daemon }: Settings,
    @Inject(LOG) private readonly log: Log,
  ) {
    // The same number of folders above this file, compiled or not.
    this.folder = daemon.consoleDir ?? join(import.meta.dirname, '..', '..', '..', '..', 'dist', 'console');
  }

  async onModuleInit(): Promise<void> {
    const index = await readIfThere(join(this.folder, 'index.html'));
    if (!index) return this.log.warn({ folder: this.folder }, 'the console was not built; /console shows a small page');
    this.index = new ConsoleFile('index.html', Buffer.from(atConsole(Buffer.from(index).toString('utf8'))));
    for (const file of await readFiles(this.folder, (name) => name === 'favicon.svg')) this.icon = file;
    for (const file of await readFiles(join(this.folder, 'assets'), () => true)) this.assets.set(file.name, file);
  }

  findAsset(name: string): ConsoleFile | undefined {
    return this.assets.get(name);
  }
}

async function readFiles(folder: string, isWanted: (name: string) => boolean): Promise<ConsoleFile[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isFile() && isWanted(entry.name)).map(({ name }) => name);
  return Promise.all(names.map(async (name) => new ConsoleFile(name, await readFile(join(folder, name)))));
}

const readIfThere = (path: string): Promise<Uint8Array | undefined> =>
  readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
