import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { docxOf, pptxOf, epubOf, wordXml, workbookOf, xlsxOf } from '../../../../../test/kit/archives.js';
import { extractFile } from './extract-file.js';
import type { ExtractedFile } from './extraction.types.js';
import type { FilePlace } from './locations.types.js';

const FOLDER = join(import.meta.dirname, '..', '..', '..', '..', '..', 'test', 'data', 'files');

const extract = (bytes: Uint8Array | string, fileName: string | null, mediaType: string | null = null) =>
  extractFile({ bytes: Buffer.from(bytes as string), fileName, mediaType });

async function read(bytes: Uint8Array | string, name: string, type: string | null = null): Promise<ExtractedFile> {
  const outcome = await extract(bytes, name, type);
  if (!('file' in outcome)) throw new Error(outcome.reason);
  return outcome.file;
}

async function reasonOf(bytes: Uint8Array | string, name: string | null, type: string | null = null): Promise<string> {
  const outcome = await extract(bytes, name, type);
  return 'reason' in outcome ? outcome.reason : 'it was read';
}

const shipped = (name: string): Buffer => readFileSync(join(FOLDER, name));

/** Each located stretch of a text, with its place. */
const placed = ({ text, locations }: ExtractedFile): [string, FilePlace][] =>
  locations.map(({ start, end, ...place }) => [text.slice(start, end).trim(), place]);

describe('the text of a file, word by word', () => {
  it('PDF: the pages (PDFKit)', async () => {
    const file = await read(shipped('manual.pdf'), 'manual.pdf');
    expect([file.title, file.mediaType, file.contentType]).toEqual(['Reactor manual', 'application/pdf', 'text/plain']);
    expect(placed(file)).toEqual([
      ['The reactor manual.\nStart the pump before the valve is opened.', { page: 1 }],
      ['Shutdown: close the valve, wait 90 seconds, stop the pump.', { page: 2 }],
      ['Appendix. Spare parts are in cabinet 7.', { page: 3 }],
    ]);
  });

  it('PDF: the pages (Chromium)', async () => {
    const file = await read(shipped('printed.pdf'), 'printed.pdf');
    expect(placed(file).map(([text, place]) => [text.replace(/\s+/g, ' '), place])).toEqual([
      ['Travel rules Trains before planes. Größe und Maß are fine.', { page: 1 }],
      ['Second page Receipts are due within 30 days.', { page: 2 }],
    ]);
  });

  it('DOCX: headings, lists, tables', async () => {
    const file = await read(shipped('leave.docx'), 'leave.docx');
    expect([file.title, file.contentType, file.locations]).toEqual(['Leave policy', 'text/markdown', []]);
    expect(file.text).toBe(
      [
        '# Leave policy',
        'Everyone has 28 days of leave a year; whoever works nights has 31.',
        '## Carrying over',
        'Up to five days may be carried over until 31 March. Grüße aus Köln — 東京.',
        '- Ask your lead.\n- Enter it in the calendar.',
        'Years | Days\n0 to 5 | 28\nover 5 | 30\n',
      ].join('\n\n'),
    );
  });

  it('DOCX: a row of a table is one line, with its empty cells and all paragraphs of the others', async () => {
    const cell = (...texts: string[]) =>
      `<w:tc>${texts.map((text) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`).join('') || '<w:p/>'}</w:tc>`;
    const row = (...cells: string[]) => `<w:tr>${cells.join('')}</w:tr>`;
    const table = `<w:tbl>${row(cell('Crew'), cell('7', 'approx'), cell('9'))}${row(cell('Rent'), cell(), cell('100'))}</w:tbl>`;
    const xml = wordXml('Plan').replace('</w:body>', `${table}</w:body>`);
    expect((await read(await docxOf(xml), 'a.docx')).text).toBe('Plan\n\nCrew | 7 approx | 9\nRent |  | 100\n');
  });

  it('XLSX: sheets as tables, with cells', async () => {
    const file = await read(shipped('budget.xlsx'), 'budget.xlsx');
    expect([file.title, file.text.split('\n\n')[0]]).toEqual(['Budget', '## Costs']);
    expect(placed(file)).toEqual([
      ['| Item | Amount | Due |', { sheet: 'Costs', cells: 'A1:C1' }],
      ['| Server rent | 1250.5 | 2026-03-31 |', { sheet: 'Costs', cells: 'A2:C2' }],
      ['| Licences \\| tools | 80 | 2026-06-01 |', { sheet: 'Costs', cells: 'A3:C3' }],
      ['| Total | 1330.5 |  |', { sheet: 'Costs', cells: 'A4:B4' }],
      ['| Name | Team | Remote |', { sheet: 'Staff', cells: 'A2:C2' }],
      ['| Ada Lovelace | Engines | true |', { sheet: 'Staff', cells: 'A3:C3' }],
    ]);
  });

  it('XLSX: cells are named as the sheet has them, wherever its first one stands', async () => {
    expect(placed(await read(shipped('offset.xlsx'), 'offset.xlsx'))).toEqual([
      ['|  |  | Head | Other |  |  |', { sheet: 'Off', cells: 'A5:D5' }],
      ['|  |  | x | rich |  |  |', { sheet: 'Off', cells: 'A7:D7' }],
      ['|  |  | link | 2026-01-05T13:30:00 | 0.30000000000000004 | #N/A |', { sheet: 'Off', cells: 'A9:F9' }],
    ]);
  });

  it('XLSX: times of day, and durations by their formats, are no dates', async () => {
    const formats = ['h:mm', 'h:mm:ss', '[h]:mm:ss', '[mm]:ss', 'yyyy-mm-dd', 'yyyy-mm-dd hh:mm'];
    const rowOf = (...cells: [value: number, format: string][]) =>
      cells.map(([value, format], at) => `<c r="${'ABCDEF'[at]}1" s="${formats.indexOf(format)}"><v>${value}</v></c>`);
    const row = rowOf(
      ...([
        [0.25, 'h:mm'],
        [0.2916782407407407, 'h:mm:ss'],
        [1.5, '[h]:mm:ss'],
      ] as [number, string][]),
      ...([
        [0.0625, '[mm]:ss'],
        [46000, 'yyyy-mm-dd'],
        [46000.5625, 'yyyy-mm-dd hh:mm'],
      ] as [number, string][]),
    );
    const file = await read(await xlsxOf(row.join(''), formats), 'a.xlsx');
    expect(placed(file)[0]![0]).toBe('| 06:00 | 07:00:01 | 36:00:00 | 1:30:00 | 2025-12-09 | 2025-12-09T13:30:00 |');
  });

  it('XLSX: cells up to the last one with a value are read, however far others stand that are empty', async () => {
    const text = (at: string, value: string) => `<c r="${at}" t="inlineStr"><is><t>${value}</t></is></c>`;
    const rows = `<row r="1">${text('A1', 'Item')}<c r="XFD1" s="0"/></row><row r="3"><c r="B3"><v>7</v></c></row><row r="1048576"><c r="XFD1048576" s="0"></c></row>`;
    expect(placed(await read(await workbookOf(rows, ['0']), 'a.xlsx'))).toEqual([
      ['| Item |  |', { sheet: 'One', cells: 'A1:A1' }],
      ['|  | 7 |', { sheet: 'One', cells: 'A3:B3' }],
    ]);
  });

  it('XLSX: a cell with an error has the text that it shows', async () => {
    const rows = `<row r="1"><c r="A1"><v>1</v></c><c r="B1" t="e"><f>1/0</f><v>#DIV/0!</v></c><c t='e' r="C1"><v>#REF!</v></c><c r="D1" t="e"/><c r="E1" t="str"><v>e</v></c></row>`;
    expect(placed(await read(await workbookOf(rows, ['0']), 'a.xlsx'))).toEqual([
      ['| 1 | #DIV/0! | #REF! |  | e |', { sheet: 'One', cells: 'A1:E1' }],
    ]);
  });

  it('PPTX: slides with titles, tables and notes', async () => {
    const file = await read(shipped('review.pptx'), 'review.pptx');
    expect([file.title, file.contentType]).toEqual(['Quarterly review', 'text/markdown']);
    expect(placed(file)).toEqual([
      ['## Slide 1\n\nQuarterly review', { slide: 1 }],
      [
        '## Revenue\n\nRevenue grew by 12 percent to 4.1 million.\n\n| Region | Growth |\n| North | 15 % |\n| South | 9 % |\n\nNotes: Mention the wombat campaign.',
        { slide: 2 },
      ],
    ]);
  });

  it('PPTX: references to characters, in its title as well', async () => {
    const file = await read(await pptxOf('Caf&#233; &amp;#233; &#x2019; &lt;b&gt;', 'T&#233; &amp; more'), 'a.pptx');
    expect([file.title, file.text]).toEqual(['Té & more', '## Slide 1\n\nCafé &#233; ’ <b>\n\n']);
  });

  it('EPUB: chapters are known by their types, whatever their names are', async () => {
    const chapters = {
      'a&#38;b.xml': '<html><body><p>First.</p></body></html>',
      'c.xhtml': '<html><p>Second.</p></html>',
    };
    const file = await read(await epubOf('Caf&#233;', chapters), 'a.epub');
    expect([file.title, placed(file)]).toEqual([
      'Café',
      [
        ['First.', { part: 'OPS/a&b.xml' }],
        ['Second.', { part: 'OPS/c.xhtml' }],
      ],
    ]);
  });

  it('EPUB: chapters in the order of the spine', async () => {
    const file = await read(shipped('book.epub'), 'book.epub');
    expect(file.title).toBe('A Field Guide to Wombats');
    expect(placed(file)).toEqual([
      ['# Habits\n\nWombats dig with claws & teeth.', { part: 'OEBPS/one.xhtml' }],
      ['# Dens\n\nA den is up to 30 metres long.', { part: 'OEBPS/two dens.xhtml' }],
    ]);
  });

  it('e-mail: who, when, the text and the names of attachments', async () => {
    const file = await read(shipped('engine.eml'), 'engine.eml');
    expect(file.title).toBe('Grüße: the engine ships on Friday');
    expect(placed(file)).toEqual([
      [
        'From: Ada Lovelace <ada@example.com>\nTo: team@example.com\nDate: 2026-03-02T09:30:00.000Z\nSubject: Grüße: the engine ships on Friday',
        { part: 'headers' },
      ],
      [
        'Dear team,\n\nthe analytical engine ships on Friday. Bring 40 punch cards.\n\nÄnderungen folgen.',
        { part: 'body' },
      ],
      ['Attachments:\n- engine.png (image/png)', { part: 'attachments' }],
    ]);
    expect((await read(shipped('markup.eml'), 'markup.eml')).text).toContain('Level 3 is closed until May.');
  });

  it('RTF: the text alone, in its code page and in Unicode', async () => {
    const file = await read(shipped('notice.rtf'), 'notice.rtf');
    expect(file.text).toBe('The canteen closes at 14:30.\nCafé and 東京 are open.\nNew line boldlink text.\n');
    expect(file.title).toBe('Notice');
    const titled =
      "{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0 Arial;}}{\\info{\\title Gr\\'fc\\'dfe {\\b \\u26481?}}{\\author Me}}Hi\\par}";
    expect(await read(titled, 'a.rtf')).toMatchObject({ title: 'Grüße 東', text: 'Hi\n' });
    const table =
      '{\\rtf1\\ansi\\trowd\\cellx1\\cellx2 A1\\cell B1\\cell\\row\\trowd A2\\cell B2\\cell\\row\\pard After.\\par}';
    expect((await read(table, 'a.rtf')).text).toBe('A1\tB1\t\nA2\tB2\t\nAfter.\n');
  });

  it('CSV and TSV: tables, however they are divided', async () => {
    const table = '| Name | Days |\n| --- | --- |\n| Ada, the first | 28 |\n| "Bob" | 3 \\| 4 |\n\n';
    const comma = 'Name,Days\r\n"Ada, the first",28\r\n"""Bob""","3 | 4"\r\n';
    expect((await read(comma, 'a.csv')).text).toBe(table);
    expect((await read(comma.replaceAll('",', '";').replace('Name,', 'Name;'), 'a.csv')).text).toBe(table);
    const stated = await read('sep=;\r\nName;Days\r\n"Ada, the first";28\r\n', 'a.csv');
    expect(placed(stated)).toEqual([
      ['| Name | Days |', { cells: 'A1:B1' }],
      ['| Ada, the first | 28 |', { cells: 'A2:B2' }],
    ]);
    const tsv = await read('Name\tDays\n\nAda, the first\t28\n', 'a.tsv');
    expect(placed(tsv)).toEqual([
      ['| Name | Days |', { cells: 'A1:B1' }],
      ['| Ada, the first | 28 |', { cells: 'A3:B3' }],
    ]);
  });

  it('CSV: what a quoted name of a column holds divides nothing', async () => {
    const { text } = await read('"Last, First";"Amount,\n EUR";Due\n"Doe, Jane";"1,50";2026\n', 'a.csv');
    expect(text).toBe('| Last, First | Amount, EUR | Due |\n| --- | --- | --- |\n| Doe, Jane | 1,50 | 2026 |\n\n');
  });

  it('a long table says in each piece what its columns are', async () => {
    const rows = Array.from({ length: 200 }, (_, n) => `item ${n},${n * 3}`).join('\n');
    const { text } = await read(`Item,Price\n${rows}\n`, 'prices.csv');
    const pieces = text.split('\n\n').filter((piece) => piece !== '');
    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces.every((piece) => piece.startsWith('| Item | Price |\n| --- | --- |\n'))).toBe(true);
  });

  it('JSON: the members of its top level', async () => {
    expect(placed(await read('{"a/b":[1,2],"c":"text"}', 'a.json'))).toEqual([
      ['a/b: [\n 1,\n 2\n]', { part: '/a~1b' }],
      ['c: "text"', { part: '/c' }],
    ]);
    expect(placed(await read('[{"id":7}]', 'a.json'))).toEqual([['{\n "id": 7\n}', { part: '/0' }]]);
    expect((await read('"alone"', 'a.json')).text).toBe('"alone"');
  });

  it('without what no database holds: NUL, and halves of surrogate pairs', async () => {
    expect(placed(await read('{"a\\u0000b":"x\\u0000","\\ud800c":1}', 'a.json'))).toEqual([
      ['ab: "x\\u0000"', { part: '/ab' }],
      ['\ufffdc: 1', { part: '/\ufffdc' }],
    ]);
    const { text } = await read("{\\rtf1\\ansi a\\u0? \\'00b \\u-10179? c}", 'a.rtf');
    expect([text.isWellFormed(), text.includes('\0')]).toEqual([true, false]);
  });

  it('JSON: numbers as they are written, members in the order of the file', async () => {
    const source =
      '{"id":1864023781234567891,"10":"t\\u00e9n","9":[1e400,{"n":9007199254740993}],"p":19.90,"p":[],"e":{}}';
    expect((await read(source, 'a.json')).text).toBe(
      'id: 1864023781234567891\n\n10: "tén"\n\n9: [\n 1e400,\n {\n  "n": 9007199254740993\n }\n]\n\np: 19.90\n\np: []\n\ne: {}\n\n',
    );
    const nested = { a: [1, [], {}, [[true, null]], '"[,]:{}\\'], b: { c: { d: 'x' }, 'e"': -1.5e-7 } };
    const shown = `${JSON.stringify(nested, null, 1)}\n\n`;
    for (const indent of [0, 3])
      expect((await read(JSON.stringify([nested], null, indent), 'a.json')).text).toBe(shown);
    expect((await read(' {} ', 'a.json')).text).toBe('{}');
    expect((await read('-0.0', 'a.json')).text).toBe('-0.0');
  });

  it('HTML, Markdown and text as they are', async () => {
    const html = '<html><head><title>A &amp; B</title></head><body><p>Hi</p></body></html>';
    expect(await read(html, 'a.html')).toMatchObject({ text: html, title: 'A & B', contentType: 'text/html' });
    const referring =
      '<svg><title>No</title></svg><title>\nGr&uuml;&szlig;e &#8211; caf&eacute; &amp;lt;b&gt;</title><p>Hi';
    expect((await read(referring, 'a.html')).title).toBe('Grüße – café &lt;b>');
    expect((await read('<p>Hi</p>', 'a.html')).title).toBeUndefined();
    expect(await read('# A\n', 'a.md')).toMatchObject({ text: '# A\n', contentType: 'text/markdown' });
    expect(await read('BMW is a brand.', 'a.txt')).toMatchObject({ text: 'BMW is a brand.', mediaType: 'text/plain' });
  });
});

describe('the character set of a text', () => {
  const umlauts = 'Größere Mäuse fressen süßen Käse; die übrigen müssen später früh aufstehen.';
  const latin = Buffer.from(umlauts, 'latin1');

  it.each([
    ['UTF-8', Buffer.from(umlauts)],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${umlauts}`)],
    ['UTF-16 with a mark', Buffer.from(`\ufeff${umlauts}`, 'utf16le')],
    ['UTF-16, big endian', Buffer.from(`\ufeff${umlauts}`, 'utf16le').swap16()],
    ['ISO 8859-1', latin],
  ])('%s is found out', async (_, bytes) => {
    expect((await read(bytes, 'a.txt')).text).toBe(umlauts);
  });

  it('Cyrillic in windows-1251 and Japanese in Shift JIS are found out', async () => {
    const cyrillic = Buffer.from('cff0e8e2e5f22c20ece8f02120ddf2ee20eff0eee2e5f0eae020eaeee4e8f0eee2eae82e', 'hex');
    expect((await read(cyrillic, 'a.txt')).text).toBe('Привет, мир! Это проверка кодировки.');
    const japanese = Buffer.from(
      '82b182ea82cd8365835883678382b782e98daa8b9282cc82bd82df82cc95b68fcd82c582b78142',
      'hex',
    );
    expect((await read(japanese, 'a.txt', 'text/plain; charset=shift_jis')).text).toMatch(/^これは/);
  });

  it('that is stated counts, and that a page declares', async () => {
    expect((await read(latin, 'a.txt', 'text/plain; charset=iso-8859-1')).text).toBe(umlauts);
    const page = Buffer.from(`<meta charset="iso-8859-2"><p>\xb1</p>`, 'latin1');
    expect((await read(page, 'a.html')).text).toContain('ą');
    expect(await reasonOf(latin, 'a.txt', 'text/plain; charset=klingon')).toMatch(/not text in klingon/);
  });
});

describe('a file without a text', () => {
  const random = Buffer.from(Array.from({ length: 4_096 }, (_, n) => (n * n * 31 + n * 17) % 256));

  it.each<[string, Uint8Array | string, string | null, RegExp]>([
    ['encrypted', shipped('encrypted.pdf'), 'a.pdf', /^The PDF is encrypted; send it without a password\.$/],
    ['of pictures', shipped('picture.pdf'), 'a.pdf', /^The PDF has no text, only pictures/],
    ['empty', '', 'a.pdf', /^The file is empty\.$/],
    ['of white space', ' \n ', 'a.txt', /only white space/],
    ['broken off (PDF)', shipped('manual.pdf').subarray(0, 300), 'a.pdf', /^The PDF is damaged or broken off/],
    ['broken off (DOCX)', shipped('leave.docx').subarray(0, 4_000), 'a.docx', /damaged|archive/],
    ['a workbook that is named a PDF', shipped('budget.xlsx'), 'a.pdf', /^The file is xlsx by its bytes, but its name/],
    ['random bytes that are named text', random, 'a.txt', /^The file is neither text nor of a kind that is read/],
    ['random bytes that are named a table', random, 'a.csv', /^The file is neither text nor of a kind that is read/],
    ['no JSON', '{"a":', 'a.json', /^The file is not JSON/],
    ['no e-mail', 'Just a text.', 'a.eml', /^The file is no e-mail/],
    ['an open quotation mark', 'a,b\n"c,d\n', 'a.csv', /^The table cannot be read/],
    ['an empty table', '\n\n', 'a.csv', /empty/],
    ['broken RTF', '{\\rtf1 {', 'a.rtf', /RTF file/],
    ['broken off (RTF)', '{\\rtf1\\ansi hello {\\b bold', 'a.rtf', /^The RTF file is damaged or broken off/],
    ['of empty cells', `h${','.repeat(5_000)}x\n${'a\n'.repeat(300)}`, 'a.csv', /^A table of 301 rows is 5001 columns/],
  ])('%s says why', async (_, bytes, name, reason) => {
    expect(await reasonOf(bytes, name)).toMatch(reason);
  });

  it.each([
    ['ZZZZZZZ1', /damaged: a cell stands where no sheet has any/],
    ['XFE1', /damaged/],
    ['A1048577', /damaged/],
    ['&#90;ZZZZZZ1', /damaged/],
    ['XFD1048576', /^The workbook is too wide or too long: up to its last values it has 17179869184 cells/],
  ])('a workbook with a cell %s is not given to its reader', async (cell, reason) => {
    for (const at of [`r="${cell}"`, `x="" y:r = '${cell}'`]) {
      const rows = `<row r="1"><c ${at} t="inlineStr"><is><t>Item</t></is></c></row>`;
      expect(await reasonOf(await workbookOf(rows), 'a.xlsx')).toMatch(reason);
    }
    expect(await reasonOf(await workbookOf(`<row r="999999999"/>`), 'a.xlsx')).toMatch(/damaged/);
    expect(await reasonOf(await workbookOf(`<row r="1"><c '="" r="ZZZZZZZ1"><v>1</v></c></row>`), 'a.xlsx')).toMatch(
      /damaged/,
    );
  });

  it('of more than 4 MiB says how much that is', async () => {
    const text = `${'wombat '.repeat(1024)}\n`.repeat(700);
    expect(await reasonOf(text, 'a.txt')).toBe(
      `The text of the file is ${text.length} bytes of UTF-8, at most 4 MiB are taken; divide the file.`,
    );
  });
});
