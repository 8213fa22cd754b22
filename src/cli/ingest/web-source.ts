import { gunzipSync } from 'node:zlib';
import { extname, posix } from 'node:path';
import htmlEncodingSniffer from 'html-encoding-sniffer';
import { sha256Digest } from '../../evidence/digest.js';
import { UserError } from '../output.js';
import { MAX_ID_LENGTH } from './folder-source.js';
import type { DocumentOrigin, Found, LeftOut, Source, SourceEntry } from './sources.types.js';
import { isTakenType, isTextType, mediaTypeOf } from './media-types.js';
import { parseSitemap, type Sitemap } from './sitemap.js';
import { checkedText, titleOf } from './text-files.js';
import { PageRefused, type WebAnswer, type WebClient } from './web-client.js';

/** Pages of one run (sitemaps.org allows as many in one sitemap). */
const MAX_PAGES = 50_000;
const MAX_SITEMAPS = 200;
/** Of a sitemap, unpacked (sitemaps.org). */
const MAX_SITEMAP_BYTES = 50 * 1024 * 1024;
const GZIP = Buffer.from([0x1f, 0x8b]);

export interface WebOptions {
  /** Before the address, in the docId. */
  prefix?: string;
}

/**
 * A page; or with a slash at the end of its address, the pages below it that the sitemaps of the site list; or the
 * pages of a sitemap.
 */
export class WebSource implements Source {
  readonly root: string;
  /** Whether sitemaps listed pages: without such a list, what is not in it is not known to be gone. */
  private isListed = false;

  /** @throws UserError where the operator does not allow it */
  constructor(
    readonly named: string,
    private readonly client: WebClient,
    private readonly options: WebOptions,
  ) {
    const url = new URL(named);
    url.hash = '';
    this.root = url.href;
    const fault = client.faultOf(this.root);
    if (fault !== undefined) throw new UserError(`${named} is not read: ${fault}. docs/ingest.md, "Web pages".`);
  }

  covers(docId: string): boolean {
    return this.isListed || docId === this.idOf(this.root);
  }

  async list(): Promise<{ entries: SourceEntry[]; leftOut: LeftOut[] }> {
    const entries: SourceEntry[] = [];
    const leftOut: LeftOut[] = [];
    const pages = new Set((await this.pages()).map(withoutFragment));
    for (const url of pages) {
      const docId = this.idOf(url);
      const fault =
        this.client.faultOf(url) ?? (docId.length > MAX_ID_LENGTH ? 'a longer address than is taken' : undefined);
      if (fault !== undefined) leftOut.push({ name: docId, reason: fault });
      else if (entries.length === MAX_PAGES) leftOut.push({ name: docId, reason: `more than ${MAX_PAGES} pages` });
      else entries.push({ docId, url, read: (origin) => this.read(url, origin) });
    }
    return { entries, leftOut };
  }

  private idOf(address: string): string {
    const { host, pathname, search } = new URL(address);
    return (this.options.prefix ?? '') + host + pathname + search;
  }

  private async pages(): Promise<string[]> {
    const { pathname } = new URL(this.root);
    const isSitemap = /\.xml(\.gz)?$/i.test(pathname);
    if (!isSitemap && !pathname.endsWith('/')) return [this.root];
    const listed = isSitemap ? await this.pagesOf([this.root]) : await this.pagesBelow();
    this.isListed = listed.length > 0;
    return this.isListed || isSitemap ? listed : [this.root];
  }

  private async pagesBelow(): Promise<string[]> {
    const named = await this.client.sitemapsOf(this.root);
    const guessed = named.length > 0 ? undefined : new URL('/sitemap.xml', this.root).href;
    const pages = await this.pagesOf(guessed === undefined ? named : [guessed], guessed);
    return pages.filter((page) => page.startsWith(this.root));
  }

  /**
   * @param guessed the sitemap of which nobody said that it is there
   * @throws UserError where another one cannot be read: what is not listed could be taken for deleted
   */
  private async pagesOf(sitemaps: string[], guessed?: string): Promise<string[]> {
    const pages: string[] = [];
    const looked = new Set<string>();
    const waiting = [...sitemaps];
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (looked.has(next)) continue;
      looked.add(next);
      if (looked.size > MAX_SITEMAPS) throw new UserError(`${this.root} has more than ${MAX_SITEMAPS} sitemaps`);
      const found = await this.readSitemap(next, next !== guessed);
      pages.push(...found.pages);
      waiting.push(...found.sitemaps);
      if (pages.length > 2 * MAX_PAGES) throw new UserError(`${this.root} lists more than ${2 * MAX_PAGES} pages`);
    }
    return pages;
  }

  private async readSitemap(address: string, isNamed: boolean): Promise<Sitemap> {
    try {
      const { bytes } = await this.client.read(address);
      const isPacked = bytes.subarray(0, 2).equals(GZIP);
      const plain = isPacked ? gunzipSync(bytes, { maxOutputLength: MAX_SITEMAP_BYTES }) : bytes;
      return parseSitemap(plain.toString('utf8'));
    } catch (error) {
      if (!isNamed && error instanceof PageRefused && error.byRule) return { pages: [], sitemaps: [] };
      throw new UserError(`The sitemap ${address} cannot be read: ${(error as Error).message}`);
    }
  }

  private async read(url: string, origin: DocumentOrigin | undefined): Promise<Found> {
    try {
      const answer = await this.client.read(url, origin ?? {});
      return answer.status === 304 ? { kind: 'unchanged' } : foundIn(answer, url);
    } catch (error) {
      if (!(error instanceof PageRefused)) throw error;
      return { kind: 'left out', reason: error.message, ...(error.byRule ? { byRule: true as const } : {}) };
    }
  }
}

function foundIn({ bytes, contentType: stated, validators }: WebAnswer, url: string): Found {
  const { pathname } = new URL(url);
  const contentType = typeOf(stated, pathname);
  if (!isTakenType(contentType)) return { kind: 'left out', reason: `of the type ${contentType}, which is not taken` };
  if (bytes.length === 0) return { kind: 'left out', reason: 'empty' };
  const shared = { contentType, digest: sha256Digest(bytes), ...validators };
  if (!isTextType(contentType)) return { kind: 'file', bytes, fileName: nameIn(pathname), ...shared };
  const page = decoded(bytes, stated);
  if (page === undefined) return { kind: 'left out', reason: 'in a character set that is not read' };
  const read = checkedText(page, contentType);
  if (read.text === undefined) return { kind: 'left out', reason: read.fault };
  return { kind: 'text', text: read.text, title: titleOf(read.text, url), ...shared };
}

/** The last part of a path, as people read it. */
function nameIn(pathname: string): string {
  const name = posix.basename(pathname) || 'page';
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** The stated type, or where a server does not know it, the one of the name. */
function typeOf(stated: string | undefined, pathname: string): string {
  const essence = stated?.split(';', 1)[0]!.trim().toLowerCase() ?? '';
  const isUnknown = essence === '' || essence === 'application/octet-stream';
  const byName = extname(pathname) === '' ? undefined : mediaTypeOf(pathname);
  // Many servers have no type for Markdown.
  if (isUnknown || (essence === 'text/plain' && byName === 'text/markdown')) return byName ?? (essence || 'unknown');
  return essence;
}

/**
 * By byte order mark, Content-Type, or what the page itself says (WHATWG HTML, 13.2.3).
 * @returns undefined in a character set that is not read, such as those that no browser reads any more
 */
function decoded(bytes: Buffer, stated: string | undefined): string | undefined {
  const label = /;\s*charset\s*=\s*"?([\w:.-]+)/i.exec(stated ?? '')?.[1];
  const encoding = htmlEncodingSniffer(bytes, {
    defaultEncoding: 'UTF-8',
    ...(label ? { transportLayerEncodingLabel: label } : {}),
  });
  try {
    return new TextDecoder(encoding).decode(bytes);
  } catch {
    return undefined;
  }
}

function withoutFragment(address: string): string {
  const url = new URL(address);
  url.hash = '';
  return url.href;
}
