import { micromark } from 'micromark';
import { describe, expect, it } from 'vitest';
import {
  escapeMarkdown,
  fencedBlock,
  join,
  say,
  sentenceMarkdown,
  sentenceText,
  withValue,
} from './markdown-text.rules.js';

const NASTY = [
  'plain words, 12.5 % (of it); a-b + c/d = "e"',
  'snake_case and _emphasis_ and **strong** and ~~gone~~',
  '[a link](javascript:alert(1)) ![image](x) [ref][x] [^1]',
  '<script>alert(1)</script> <b onclick=x> <!-- c --> <http://x.y>',
  '&lt; &#60; &amp; AT&T a & b',
  '`code` ``two`` \\` \\ back\\slash',
  'x | y | z $a$ :tada: https://example.org a:b:c',
  '{{ constructor }} {#id} {.class} }} {{{',
  '<!--@include: ../../etc/passwd--> !<!-- !- !(',
];

/** The text that a reader of the HTML sees. */
const seen = (markdown: string) =>
  micromark(markdown, { allowDangerousHtml: true })
    .replace(/<\/?(?:p|ul|li|code)>/g, '')
    .replace(/&(lt|gt|amp|quot);/g, (_, name: string) => ({ lt: '<', gt: '>', amp: '&', quot: '"' })[name]!)
    .trim();

describe('text of others', () => {
  it.each(NASTY)('is what it was in Markdown: %s', (text) => {
    const html = micromark(`- It is ${escapeMarkdown(text)}`, { allowDangerousHtml: true });
    expect(html.match(/<(?!\/?(?:ul|li|code)>)[^>]*>/g)).toBeNull();
    expect(seen(`- It is ${escapeMarkdown(text)}`)).toBe(`It is ${text}`);
  });

  it('has nothing in it by which VitePress reads files or runs code', () => {
    const all = [...NASTY.map(escapeMarkdown), ...NASTY.map((text) => fencedBlock(text, '  '))];
    for (const text of all) expect(text).not.toMatch(/<!--\s*@include:/);
    for (const text of NASTY.map(escapeMarkdown)) expect(micromark(text)).not.toMatch(/\{\{/);
  });

  it('is left readable where nothing needs to be escaped', () => {
    expect(escapeMarkdown(NASTY[0]!)).toBe(NASTY[0]);
    expect(escapeMarkdown('snake_case: AT&T')).toBe('snake_case: AT&T');
  });
});

it('a block ends where it ends', () => {
  const text = 'a\n```\n\nb ````` c\r\nd';
  const html = micromark(`- So:\n\n${fencedBlock(text, '  ')}\n\nAfter`);
  expect(html).toContain('<code class="language-text">a\n```\n\nb ````` c\nd\n</code>');
  expect(html).toContain('<p>After</p>');
});

describe('a sentence', () => {
  it('keeps what others wrote apart from its own words', () => {
    const parts = say`*${'a*b'}* is ${8080}.`;
    expect(parts).toEqual(['*', 'a*b', '* is ', '8080', '.']);
    expect([sentenceMarkdown({ parts }), sentenceText({ parts })]).toEqual(['*a\\*b* is 8080.', '*a*b* is 8080.']);
  });

  it('has one line, whatever is put into it', () => {
    expect(sentenceText({ parts: say`It is ${'a\n# b\u2028c'}.` })).toBe('It is a # b c.');
    expect(sentenceText({ parts: say`${'x'.repeat(500)}` })).toHaveLength(401);
  });

  it.each([
    ['short', 'It: short', undefined],
    ['', 'It: nothing.', undefined],
    ['two\nlines', 'It:', 'two\nlines'],
    ['x'.repeat(401), 'It:', 'x'.repeat(401)],
    ['x'.repeat(4_001), 'It, which begins so:', 'x'.repeat(4_000)],
    [`${'x'.repeat(3_999)}😀`, 'It, which begins so:', 'x'.repeat(3_999)],
  ])('has its value within it or below: %#', (value, text, block) => {
    const made = withValue(say`It`, value);
    expect([sentenceText(made), made.block]).toEqual([text, block]);
  });

  it('is joined of two with every value in its place', () => {
    expect(join(say`a ${'b'} c`, say` d ${'e'}`)).toEqual(['a ', 'b', ' c d ', 'e', '']);
  });
});
