import { describe, expect, it } from 'vitest';
import { say } from './markdown-text.rules.js';
import { htmlOf, markdownOf, pagesOf } from './storybook-pages.rules.js';
import type { Statement, Storybook } from './storybooks.types.js';

const anchor = { kind: 'chunk', id: 'chk_Ab-12345678' } as const;
const statement: Statement = {
  id: 's',
  parts: say`It is ${'<b>bold</b> [x](y)'}.`,
  anchors: [anchor],
  block: '# no heading\n```\n<i>',
};
const book: Storybook = {
  title: 'Shop # <script>',
  sections: [
    { id: 'overview', title: 'Overview', statements: [statement, { ...statement, id: 't' }], cut: false },
    { id: 'open-questions', title: 'Open questions', statements: [], cut: false },
    {
      id: 'evidence',
      title: 'Evidence',
      statements: [{ id: 'e', parts: say`The passage ${'c'}.`, anchors: [anchor] }],
      cut: false,
    },
  ],
};
const idsIn = (html: string) => [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
const linksIn = (html: string) => [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href);

describe('a storybook', () => {
  it('as Markdown has headings, items, blocks and links to its evidence', () => {
    expect(markdownOf(book)).toBe(`# Shop \\# \\<script>

## Overview

- It is \\<b>bold\\</b> \\[x\\](y). [chunk 12345678](#chunk-chk-ab-12345678)

  \`\`\`\`text
  # no heading
  \`\`\`
  <i>
  \`\`\`\`

- It is \\<b>bold\\</b> \\[x\\](y). [chunk 12345678](#chunk-chk-ab-12345678)

  \`\`\`\`text
  # no heading
  \`\`\`
  <i>
  \`\`\`\`

## Open questions

Nothing is known.

## Evidence

### chunk chk Ab 12345678

The passage c.
`);
  });

  it('as HTML has every id that it links to, and nothing of others as markup', () => {
    const html = htmlOf(book, markdownOf(book));
    expect(idsIn(html)).toEqual([
      'shop-lt-script-gt-',
      'overview',
      'open-questions',
      'evidence',
      'chunk-chk-ab-12345678',
    ]);
    expect(linksIn(html).filter((href) => !idsIn(html).includes(href!.slice(1)))).toEqual([]);
    expect(html).not.toMatch(/<(?:b|i|script)>/);
  });

  it('as pages leads from each to the evidence, and holds all statements as JSON', () => {
    const pages = pagesOf(book);
    expect([...pages.keys()]).toEqual([
      'index.md',
      'overview.md',
      'open-questions.md',
      'evidence.md',
      'storybook.json',
    ]);
    const text = (name: string) => Buffer.from(pages.get(name)!).toString();
    expect(text('index.md')).toContain('- [Open questions](./open-questions.md)');
    expect(text('overview.md')).toContain('[chunk 12345678](./evidence.md#chunk-chk-ab-12345678)');
    expect(text('evidence.md')).toMatch(/^# Evidence\n\n### chunk chk Ab 12345678\n/);
    expect(JSON.parse(text('storybook.json')).sections[0].statements[0]).toEqual({
      ...{ id: 's', anchors: [anchor] },
      text: 'It is <b>bold</b> [x](y).\n# no heading\n```\n<i>',
    });
  });
});
