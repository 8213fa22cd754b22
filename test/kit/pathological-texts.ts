import { createHash } from 'node:crypto';

/** A text that costs a parser, a segmenter or an index more than others of its size. */
export interface PathologicalText {
  readonly name: string;
  readonly contentType: 'text/plain' | 'text/markdown' | 'text/html';
  /** About so many bytes of UTF-8, never more. */
  make(bytes: number): string;
}

type Maker = (bytes: number) => string;

/** Pieces one after another, each from its number, as long as they fit. */
const series =
  (piece: (index: number) => string, before = '', after = ''): Maker =>
  (bytes) => {
    const pieces = [before];
    let left = bytes - Buffer.byteLength(before + after);
    for (let index = 0; ; index += 1) {
      const next = piece(index);
      left -= Buffer.byteLength(next);
      if (left < 0) return pieces.join('') + after;
      pieces.push(next);
    }
  };

const repeated = (text: string, before = '', after = ''): Maker => series(() => text, before, after);

/** So many times `open`, `middle`, as many times `close`. */
const nested =
  (open: string, middle: string, close: string): Maker =>
  (bytes) => {
    const times = Math.floor((bytes - middle.length) / (open.length + close.length));
    return open.repeat(times) + middle + close.repeat(times);
  };

const word = (index: number): string => createHash('md5').update(String(index)).digest('base64').replace(/\W/g, 'x');
const letters = (index: number): string =>
  [...word(index).toLowerCase()].map((letter) => (letter < 'a' ? 'q' : letter)).join('');

const MARKDOWN: Record<string, Maker> = {
  'headings of level 1': repeated('# h\n'),
  'headings of level 6': repeated('###### h\n'),
  'different headings of every level': series((index) => `${'#'.repeat(1 + (index % 6))} h${index}\n`),
  'headings with a word each': series((index) => `## Part ${index}\n\n${letters(index).slice(0, 8)}\n\n`),
  'headings of 200 letters, ever deeper': series((index) => `${'#'.repeat(1 + (index % 6))} ${'h'.repeat(200)}\n`),
  'headings of emphasis': repeated('# **a** _b_ `c` [d](e)\n'),
  'empty headings': repeated('#\n'),
  'setext headings': repeated('a\n=\n'),
  'setext headings with blank lines': repeated('a\n-\n\n'),
  'thematic breaks': repeated('---\n'),
  'list items': repeated('- a\n'),
  'numbered items': series((index) => `${index}. a\n`),
  'list markers on one line': repeated('- '),
  'an ever deeper list': series((index) => `${' '.repeat(2 * (index % 700))}- a\n`),
  'items with blank lines': repeated('- a\n\n'),
  'task items': repeated('- [ ] a\n'),
  'quotes on one line': repeated('>'),
  'lines of nested quotes': repeated(`${'>'.repeat(100)} a\n`),
  'quotes in lists in quotes': repeated('> - > - > a\n'),
  'an open fence': repeated('let a = 1;\n', '```js\n'),
  'closed fences': repeated('```\na\n```\n'),
  'fences of growing length': series((index) => `${'`'.repeat(3 + (index % 500))}\n`),
  tables: repeated('|a|b|\n|-|-|\n'),
  'a table of one row': repeated('|a', '', '|\n'),
  'a table of many rows': repeated('| a | b | c |\n', '| a | b | c |\n|---|---|---|\n'),
  links: repeated('[a](b)'),
  'open brackets': repeated('['),
  asterisks: repeated('*'),
  'emphasis that is not closed': repeated('*a _b '),
  'underscores in words': repeated('a_b_'),
  'backticks of growing length': series((index) => `${'`'.repeat(1 + (index % 200))} `),
  definitions: series((index) => `[a${index}]: b\n`),
  footnotes: series((index) => `[^${index}]: note\n`),
  autolinks: repeated('<https://a.b> www.a.b a@b.c '),
  'deep indentation': repeated(`${' '.repeat(200)}a\n`),
  'carriage returns alone': repeated('-\r'),
  'Windows line ends': repeated('a\r\n\r\n'),
  'a bit of everything': repeated('# a\n\n- b\n\n> c\n\n```\nd\n```\n\n|e|f|\n|-|-|\n\n<b>\n\n*g*\n===\n\n'),
  'raw HTML': repeated('<div>\n\n'),
};

const HTML: Record<string, Maker> = {
  'open elements': repeated('<div>x'),
  'deep elements': nested('<div>', 'x', '</div>'),
  'open formatting': repeated('<p><b a=1>x'),
  'formatting in different attributes': series((index) => `<p><i a${index}>x`),
  attributes: series((index) => ` a${index}=b`, '<p', '>x'),
  'open comments': repeated('<!--', '<p>x'),
  'character references': repeated('&amp;', '<p>'),
  scripts: repeated('<script>a</script>x'),
  'headings of HTML': repeated('<h6>h</h6>'),
  'table cells': repeated('<td>a', '<table><tr>'),
};

const PLAIN: Record<string, Maker> = {
  'a single word': repeated('x'),
  'one word again and again': repeated('lorem '),
  'all different words': series((index) => `${letters(index)} `),
  'all different short words': series((index) => `${letters(index).slice(0, 6)}\n`),
  numbers: series((index) => `${index * 7919} `),
  base64: series((index) => word(index)),
  JSON: series((index) => `{"id":${index},"name":"${letters(index).slice(0, 5)}","on":true},`, '[', '{}]'),
  CSV: series((index) => `${index};"${letters(index).slice(0, 7)}";${index / 7}\n`),
  'tabs and line ends': repeated('\t\n'),
  'combining marks': repeated('\u0301', 'e'),
  'letters with one mark each': series((index) => `${letters(index).slice(0, 5)}e\u0301 `),
  'families of emoji': repeated('👩‍👩‍👧‍👦'),
  'zero-width joiners': repeated('a\u200d\u200b'),
  Arabic: repeated('السلام عليكم ورحمة الله '),
  Chinese: series((index) => String.fromCharCode(0x4e00 + ((index * 7919) % 20_000))),
  ligatures: repeated('\ufdfa'),
};

const typed = (texts: Record<string, Maker>, contentType: PathologicalText['contentType']): PathologicalText[] =>
  Object.entries(texts).map(([name, make]) => ({ name, contentType, make }));

/** Texts that are cheap to write and dear to read. */
export const PATHOLOGICAL_TEXTS: readonly PathologicalText[] = [
  ...typed(MARKDOWN, 'text/markdown'),
  ...typed(HTML, 'text/html'),
  ...typed(PLAIN, 'text/plain'),
];
