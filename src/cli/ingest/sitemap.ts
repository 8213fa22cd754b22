import { XMLParser } from 'fast-xml-parser';

/** What a sitemap lists: pages, or further sitemaps (sitemaps.org, protocol 0.9). */
export interface Sitemap {
  pages: string[];
  sitemaps: string[];
}

const LISTS = ['url', 'sitemap'];
const parser = new XMLParser({
  ignoreAttributes: true,
  removeNSPrefix: true,
  parseTagValue: false,
  isArray: (name) => LISTS.includes(String(name)),
});

interface Listed {
  loc?: unknown;
}

/** @throws Error saying why the text is no sitemap */
export function parseSitemap(text: string): Sitemap {
  // Nothing that a sitemap needs: entities of its own could be any number of bytes.
  if (/<!DOCTYPE/i.test(text)) throw new Error('a sitemap has no document type');
  const { urlset, sitemapindex } = parser.parse(text, true) as {
    urlset?: { url?: Listed[] };
    sitemapindex?: { sitemap?: Listed[] };
  };
  if (urlset === undefined && sitemapindex === undefined) throw new Error('neither a urlset nor a sitemapindex');
  return { pages: addressesIn(urlset?.url), sitemaps: addressesIn(sitemapindex?.sitemap) };
}

const addressesIn = (listed: Listed[] = []): string[] =>
  listed.map(({ loc }) => (typeof loc === 'string' ? loc.trim() : '')).filter((address) => URL.canParse(address));
