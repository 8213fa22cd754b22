import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { COUNT_AS_TEXT } from '../../../../common/tokens/tokenizer.js';
import { chunkDocument, type ChunkText } from './chunk-document.js';
import { MAX_CHUNK_TOKENS, OVERLAP_TOKENS, type ContentFormat } from './chunking.types.js';
import { extractHtml } from './html.js';
import { MAX_PIECE_UNITS } from './token-meter.js';

const MIB = 1024 * 1024;

/** By the library alone, without our sums. */
const tokensOf = (text: string): number => countTokens(text, COUNT_AS_TEXT);

/** A small deterministic generator (mulberry32), so that a failing case can be run again. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const ATOMS = [
  ...[
    'word ',
    'a',
    'Sentence ends. ',
    'really?! ',
    '\n',
    '\n\n',
    '\r\n',
    '\r\n\r\n',
    '\t',
    '    ',
    '\u00a0',
    '\u2028',
    '\ufeff',
  ],
  ...[
    '漢字かな混じり文。',
    'ไทยไม่มีช่องว่าง',
    '한국어 ',
    'العربية ',
    'e\u0301',
    ' \u0301',
    '👩‍👩‍👧‍👦',
    '🇩🇪🇫🇷',
    '🏳️‍🌈',
    '\u0000',
    '𝒳',
  ],
  ...[
    '# Heading\n',
    '## Sub *heading*\n',
    '- item\n',
    '  1. one\n',
    '> quote\n',
    '```\ncode;\n```\n',
    '| a | b |\n|---|---|\n| 1 | 2 |\n',
    '---\n',
  ],
  ...[
    '<p>',
    '</p>',
    '<b>',
    '&amp;',
    '&',
    '<',
    '[x](y)',
    '`',
    '*',
    '_',
    '=====\n',
    'x'.repeat(300),
    '🙂'.repeat(50),
    '.'.repeat(40),
  ],
];

function randomText(seed: number): string {
  const next = generator(seed);
  const favourites = Array.from({ length: 6 }, () => ATOMS[next(ATOMS.length)]!);
  const pick = (): string => (next(3) === 0 ? ATOMS[next(ATOMS.length)]! : favourites[next(favourites.length)]!);
  return Array.from({ length: 1 + next(seed % 5 === 0 ? 4000 : 200) }, pick).join('');
}

function graphemeStarts(text: string): Set<number> {
  const starts = new Set([text.length]);
  for (const { index } of new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(text)) starts.add(index);
  return starts;
}

function uncovered(source: string, chunks: ChunkText[]): string {
  let rest = '';
  let at = 0;
  for (const { start, end } of chunks) {
    if (start > at) rest += source.slice(at, start);
    at = Math.max(at, end);
  }
  return (rest + source.slice(at)).replace(/\s+/g, '');
}

describe.each<ContentFormat>(['text', 'markdown'])('chunks of random %s', (format) => {
  it.each(Array.from({ length: 300 }, (_, seed) => seed))('seed %i', (seed) => {
    const source = randomText(seed);
    const chunks = chunkDocument(source, format);
    expect(uncovered(source, chunks)).toBe('');
    const starts = graphemeStarts(source);
    chunks.forEach((chunk, index) => {
      expect(chunk.content).toBe(source.slice(chunk.start, chunk.end));
      expect(chunk.content.trim()).not.toBe('');
      expect(tokensOf(chunk.content)).toBeLessThanOrEqual(MAX_CHUNK_TOKENS);
      expect([starts.has(chunk.start), starts.has(chunk.end)]).toEqual([true, true]);
      const previous = chunks[index - 1];
      if (previous === undefined) return;
      expect(chunk.start).toBeGreaterThan(previous.start);
      expect(chunk.end).toBeGreaterThan(previous.end);
      expect(tokensOf(source.slice(chunk.start, previous.end))).toBeLessThanOrEqual(OVERLAP_TOKENS);
    });
    expect(chunkDocument(source, format)).toEqual(chunks);
  });
});

describe('chunks of random HTML', () => {
  it.each(Array.from({ length: 200 }, (_, seed) => seed))('seed %i', (seed) => {
    const source = `<div>${randomText(seed)}</div>`;
    const chunks = chunkDocument(source, 'html');
    chunks.forEach((chunk) => {
      expect(chunk.start).toBeLessThan(chunk.end);
      expect(chunk.end).toBeLessThanOrEqual(source.length);
      expect(tokensOf(chunk.content)).toBeLessThanOrEqual(MAX_CHUNK_TOKENS);
      expect(chunk.content.isWellFormed()).toBe(true);
    });
    expect(chunkDocument(source, 'html')).toEqual(chunks);
  });
});

describe('a document', () => {
  it.each<[string, ContentFormat, string]>([
    ['white space', 'text', ' \n\t\u00a0\u2028\ufeff'],
    ['white space in Markdown', 'markdown', '\n \n'],
    [
      'HTML with nothing to show',
      'html',
      '<!doctype html><title>t</title><script>var a = 1;</script><style>p{}</style><ul><li></ul>',
    ],
  ])('without text has no passages: %s', (_, format, source) => {
    expect(chunkDocument(source, format)).toEqual([]);
  });

  it('of one byte is one passage', () => {
    expect(chunkDocument('x', 'text')).toEqual([{ start: 0, end: 1, headingPath: [], content: 'x' }]);
  });

  it('that fits is one passage, however many paragraphs it has', () => {
    const source = Array.from({ length: 12 }, (_, index) => `Paragraph ${index} says a few words.`).join('\n\n');
    expect(chunkDocument(source, 'text').map((chunk) => chunk.content)).toEqual([source]);
  });

  it('repeats the last sentences where prose goes on', () => {
    const sentence = (index: number): string => `Sentence number ${index} has exactly nine words in it.`;
    const source = Array.from({ length: 90 }, (_, index) => sentence(index)).join(' ');
    const chunks = chunkDocument(source, 'text');
    expect(chunks.map((chunk) => [tokensOf(chunk.content) >= 200, /^Sentence .*\.$/s.test(chunk.content)])).toEqual(
      chunks.map(() => [true, true]),
    );
    const overlaps = chunks.slice(1).map((chunk, index) => tokensOf(source.slice(chunk.start, chunks[index]!.end)));
    expect(overlaps.every((tokens) => tokens >= 10 && tokens <= OVERLAP_TOKENS)).toBe(true);
  });
});

describe('the passages of Markdown', () => {
  const filler = (words: number): string => Array.from({ length: words }, (_, index) => `word${index % 10}`).join(' ');

  it('begin at headings, carry their path and keep a fitting code fence whole', () => {
    const fence = `\`\`\`js\n${Array.from({ length: 60 }, (_, index) => `call(${index});`).join('\n\n')}\n\`\`\``;
    const source = `# Guide\n\n${filler(110)}\n\n## Set *up* [it](https://x.test)\n\n${filler(75)}\n\n${fence}\n\n# End\n\nBye.\n`;
    const chunks = chunkDocument(source, 'markdown');
    expect(chunks.map(({ headingPath, content }) => [headingPath, content.slice(0, 24)])).toEqual([
      [['Guide'], `# Guide\n\n${filler(110).slice(0, 15)}`],
      [['Guide', 'Set up it'], '## Set *up* [it](https:/'],
      [['Guide', 'Set up it'], fence.slice(0, 24)],
      [['End'], '# End\n\nBye.'],
    ]);
    expect(chunks[2]!.content).toBe(fence);
  });

  it('divide a long list between its items', () => {
    const items = Array.from({ length: 60 }, (_, index) => `- item ${index}: ${filler(12)}`);
    const chunks = chunkDocument(items.join('\n'), 'markdown');
    expect(chunks.length).toBeGreaterThan(1);
    expect(chunks.map((chunk) => chunk.content).join('\n')).toBe(items.join('\n'));
    expect(chunks.every((chunk) => chunk.content.startsWith('- item'))).toBe(true);
  });

  it('divide a long table between its rows', () => {
    const rows = [
      '| a | b |',
      '|---|---|',
      ...Array.from({ length: 120 }, (_, index) => `| ${index} | ${filler(4)} |`),
    ];
    const chunks = chunkDocument(rows.join('\n'), 'markdown');
    expect(chunks.map((chunk) => chunk.content).join('\n')).toBe(rows.join('\n'));
    expect(chunks.every((chunk) => chunk.content.startsWith('|') && chunk.content.endsWith('|'))).toBe(true);
  });

  it('have right offsets behind a byte order mark and CRLF', () => {
    const source = '\ufeff# One\r\n\r\nText.\r\n';
    expect(chunkDocument(source, 'markdown')).toEqual([
      { start: 1, end: 15, headingPath: ['One'], content: '# One\r\n\r\nText.' },
    ]);
  });
});

describe('Markdown of paragraphs, plain headings and code fences', () => {
  const PIECES = [
    ...[
      'A word.\n',
      '"Said" so.\n',
      '2024 was.\n',
      '**Bold** start.\n',
      '_so_\n',
      '`code` first\n',
      'a | b\n',
      'Title: it\n',
    ],
    ...[
      '\n',
      '\n\n',
      ' \n',
      '\r\n',
      'Windows.\r\n',
      '# One\n',
      '### Three, of it\n',
      '###### Six\r\n',
      `## ${'Long '.repeat(30)}\n`,
    ],
    ...[
      '```js\nlet a;\n\n# no\n```\n',
      '~~~\n| a |\n~~~\n',
      '```\n',
      '~~~\n',
      '````\n',
      `${'Many words go here. '.repeat(40)}\n`,
    ],
  ];
  /** Needs the parser, and has it read all that stands with it. */
  const HTML = '<pre>\n\nx\n\n</pre>\n\n';

  it.each(Array.from({ length: 200 }, (_, seed) => seed))('is read as the parser reads it: seed %i', (seed) => {
    const next = generator(seed);
    const source = Array.from({ length: 1 + next(60) }, () => PIECES[next(PIECES.length)]!).join('');
    const shape = (chunks: ChunkText[], from: number) =>
      chunks
        .filter(({ start }) => start > from + 2)
        .map((chunk) => [chunk.start - from, chunk.end - from, chunk.headingPath]);
    // A heading ends what the HTML began, and a full chunk keeps the two apart.
    const before = `${'# Word\n\n'}${'Word after word. '.repeat(60)}\n\n# Next\n\n`;
    expect(shape(chunkDocument(before + source, 'markdown'), before.length)).toEqual(
      shape(chunkDocument(HTML + before + source, 'markdown'), HTML.length + before.length),
    );
  });
});

describe('the passages of HTML', () => {
  it('hold the readable text, block by block', () => {
    const source = `<!doctype html><html><head><title>No</title><style>no{}</style></head><body><h1>Top &amp; more</h1>
      <p>First   <b>bold</b>&nbsp;text.<br>Next</p><script>no()</script><p hidden>no</p><div style="display: none">no</div>
      <ul><li>one<ul><li>inner</ul><li>two &lt;tag&gt;</ul><table><tr><th>a<th>b<tr><td>1<td>2</table><pre>x\n  y</pre></body></html>`;
    expect(chunkDocument(source, 'html').map(({ content, headingPath }) => [content, headingPath])).toEqual([
      [
        'Top & more\n\nFirst bold\u00a0text.\nNext\n\n- one\n  - inner\n- two <tag>\n\na | b\n1 | 2\n\nx\n  y',
        ['Top & more'],
      ],
    ]);
  });

  it.each([
    ['an empty cell', '<tr><td>Rent<td><td>100', 'Rent |  | 100'],
    ['empty cells at its ends', '<tr><td>x<td>y<td>z<tr><td> <td>2025<td>', 'x | y | z\n| 2025 |'],
    ['an empty row', '<tr><td>a<td>b<tr><td><td><tr><td>c<td>d', 'a | b\nc | d'],
    ['paragraphs', '<tr><td><p>Crew</p><td><p>7</p><p>or 8</p><td><div>9<br>', 'Crew | 7 or 8 | 9'],
    ['a list', '<tr><td>Tools<td><ul><li>saw<li>axe</ul><td>2', 'Tools |   - saw   - axe | 2'],
    ['one cell of a layout', '<tr><td><p>One.</p><p>Two.<br>Three.</p>', 'One.\nTwo.\nThree.'],
    ['a table', '<tr><td>Menu<td><table><tr><td>a<td><td>b</table><td>End', 'Menu\na |  | b\nEnd'],
    ['preformatted text', '<tr><td><pre>1\n2</pre><td><pre>a\nb</pre>', '1\n2\na\nb'],
  ])('keep a row of a table as one line: %s', (_, rows, content) => {
    const source = `<p>x</p><table>${rows}</table><p>The <i>end</i>.</p>`;
    const text = extractHtml(source);
    expect(text.text).toBe(`x\n\n${content}\n\nThe end.`);
    // Behind the table offsets are as exact as before it.
    const [start, end] = text.sourceRange(text.text.length - 8, text.text.length);
    expect(source.slice(start, end)).toBe('The <i>end</i>.');
    const deep = `${'<b>'.repeat(300)}x${'</b>'.repeat(300)}${source.slice(8)}`;
    expect(extractHtml(deep).text).toContain(content);
  });

  it('have lines in a row that is as long as a passage', () => {
    const row = (text: string) => `<table><tr><td>Menu<td><p>${text}</p><p>End.</p></table>`;
    expect(extractHtml(row('Text. '.repeat(10))).text).toMatch(/^Menu \| Text\..* End\.$/);
    expect(extractHtml(row('Text. '.repeat(400))).text).toMatch(/^Menu \| Text\..*\nEnd\.$/);
  });

  it('point into the source', () => {
    const source = '<p>  caf&eacute; &notin; <i>is</i>\r\n open &#x1F600;&amp;</p>';
    const [chunk] = chunkDocument(source, 'html');
    expect(chunk!.content).toBe('café ∉ is open 😀&');
    expect(source.slice(chunk!.start, chunk!.end)).toBe('caf&eacute; &notin; <i>is</i>\r\n open &#x1F600;&amp;');
  });
});

describe('hostile documents of 4 MiB end in time', () => {
  const repeat = (text: string): string => text.repeat(Math.floor((4 * MIB) / text.length));
  it.each<[string, ContentFormat, string]>([
    ['a single word', 'text', repeat('x')],
    ['a single line', 'text', repeat('lorem ipsum ')],
    ['white space in a paragraph', 'text', `a${repeat(' ').slice(2)}b`],
    ['empty lines', 'text', repeat('\n')],
    ['one endless grapheme', 'text', `e${repeat('\u0301').slice(0, 2 * MIB)}`],
    ['emoji', 'text', repeat('👩‍👩‍👧‍👦')],
    ['number signs', 'markdown', repeat('#')],
    ['empty headings', 'markdown', repeat('#\n')],
    ['setext headings', 'markdown', repeat('a\n=\n')],
    ['nested quotes', 'markdown', repeat('>')],
    ['lines of nested quotes', 'markdown', repeat(`${'>'.repeat(100)} a\n`)],
    ['list markers', 'markdown', repeat('- a\n')],
    ['nested list markers', 'markdown', repeat('- ')],
    [
      'an ever deeper list',
      'markdown',
      Array.from({ length: 2800 }, (_, depth) => `${' '.repeat(depth)}- a\n`).join(''),
    ],
    ['table cells', 'markdown', repeat('|a|b|\n|-|-|\n')],
    ['open brackets', 'markdown', repeat('[')],
    ['definitions', 'markdown', repeat('[a]: b\n')],
    ['carriage returns', 'markdown', repeat('-\r')],
    ['open elements', 'html', repeat('<div>x')],
    ['open formatting', 'html', repeat('<p><b a=1>x')],
    ['formatting in different attributes', 'html', Array.from({ length: 200_000 }, (_, n) => `<p><i a${n}>x`).join('')],
    ['lists and wrong end tags', 'html', `${'<ul>'.repeat(400_000)}${'</ol>'.repeat(400_000)}x`],
    ['an open tag', 'html', `<p>x<a href="${repeat('y')}`],
    ['open comments', 'html', `<p>x${repeat('<!--')}`],
    ['empty cells', 'html', `<table>${repeat('<tr><td><td>')}`],
    ['lines in cells', 'html', `<table>${repeat('<tr><td>a<br>b<td>c')}`],
    ['rules below many elements', 'html', `${'<div>'.repeat(250)}x${'<hr>'.repeat(1_000_000)}`],
    ['character references', 'html', `<p>${repeat('&amp;')}`],
  ])('%s', { timeout: 180_000 }, (_, format, source) => {
    const chunks = chunkDocument(source, format);
    expect(
      chunks.every(
        (chunk) => chunk.content.length <= MAX_PIECE_UNITS * MAX_CHUNK_TOKENS || /\u0301/.test(chunk.content),
      ),
    ).toBe(true);
  });

  it('100,000 elements deep keep their text', () => {
    const source = `${'<div>'.repeat(100_000)}deep <b>down</b>${'</div>'.repeat(100_000)}<h2>after</h2><p>end<script>no()</script>`;
    expect(chunkDocument(source, 'html').map((chunk) => chunk.content)).toEqual(['deep down\n\nafter\n\nend']);
  });
});
