import { expect, it } from 'vitest';
import { parseSitemap } from './sitemap.js';

const XMLNS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

it('reads the pages of a sitemap, with or without a prefix, one or many', () => {
  const pages = (text: string) => parseSitemap(text).pages;
  expect(
    pages(`<?xml version="1.0"?><urlset ${XMLNS}>
      <url><loc> https://example.com/a?x=1&amp;y=2 </loc><lastmod>2026-01-02</lastmod></url>
      <url><loc>https://example.com/2026</loc></url></urlset>`),
  ).toEqual(['https://example.com/a?x=1&y=2', 'https://example.com/2026']);
  expect(
    pages(
      '<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9"><s:url><s:loc>https://example.com/</s:loc></s:url></s:urlset>',
    ),
  ).toEqual(['https://example.com/']);
  expect(pages(`<urlset ${XMLNS}></urlset>`)).toEqual([]);
});

it('passes over what is no address', () => {
  expect(
    parseSitemap('<urlset><url><loc>/relative</loc></url><url/><url><loc>https://example.com/b</loc></url></urlset>')
      .pages,
  ).toEqual(['https://example.com/b']);
});

it('reads an index of sitemaps', () => {
  expect(
    parseSitemap(`<sitemapindex ${XMLNS}><sitemap><loc>https://example.com/1.xml</loc></sitemap></sitemapindex>`),
  ).toEqual({ pages: [], sitemaps: ['https://example.com/1.xml'] });
});

it.each([
  ['<html><body>Not found</body></html>', /neither a urlset/],
  ['<urlset><url><loc>', /./],
  ['no XML', /./],
  ['<!DOCTYPE x [<!ENTITY a "aaaa">]><urlset><url><loc>&a;</loc></url></urlset>', /document type/],
])('refuses %s', (text, reason) => {
  expect(() => parseSitemap(text)).toThrow(reason);
});
