import { describe, expect, it } from 'vitest';
import { formatOf } from './content-format.js';

describe('the format of a document', () => {
  it.each([
    ['text/html', 'html'],
    ['TEXT/HTML; charset=utf-8', 'html'],
    ['application/xhtml+xml', 'html'],
    ['text/markdown;variant=GFM', 'markdown'],
    ['text/x-markdown', 'markdown'],
    ['text/plain', 'text'],
    ['application/json', 'text'],
  ])('is what %s states: %s', (contentType, format) => {
    expect(formatOf('# <p>anything</p>', contentType)).toBe(format);
  });

  it.each([
    ['<!DOCTYPE html><p>x', 'html'],
    ['\ufeff \n<html lang=en>', 'html'],
    ['<article><p>One</p></article>', 'html'],
    ['<!-- note --><div>One</div>', 'html'],
    ['<not a tag but prose', 'text'],
    ['a < b and b > c', 'text'],
    ['# Title\n\nText', 'markdown'],
    ['Text\n\n```\ncode\n```', 'markdown'],
    ['Text\n\n- one\n- two', 'markdown'],
    ['| a | b |\n|---|---|\n| 1 | 2 |', 'markdown'],
    ['See [the page](https://example.com/x).', 'markdown'],
    ['> quoted', 'markdown'],
    ['#hashtag and - a dash', 'text'],
    ['Plain prose. It has 3 sentences - or 2.', 'text'],
    ['', 'text'],
  ])('is found out from %j: %s', (content, format) => {
    expect(formatOf(content)).toBe(format);
  });
});
