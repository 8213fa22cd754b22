import { describe, expect, it } from 'vitest';
import { charsetOf, FILE_KINDS, kindOf, type FileKind } from './file-kind.rules.js';

const kind = (fileName: string | null, mediaType: string | null, found?: string): string => {
  const finding = kindOf({ fileName, mediaType, found });
  return 'kind' in finding ? finding.kind : finding.reason;
};

describe('the kind of a file', () => {
  it.each(Object.entries(FILE_KINDS).slice(0, 6) as [FileKind, string][])('%s is seen in its bytes', (of, type) => {
    expect([kind(null, null, type), kind(`a.${of}`, type, type), kind('a', 'application/octet-stream', type)]).toEqual([
      of,
      of,
      of,
    ]);
  });

  it.each([
    ['a.csv', null, 'csv'],
    ['a.CSV', 'application/vnd.ms-excel', 'csv'],
    ['a.csv', 'text/plain; charset=latin1', 'csv'],
    [null, 'text/csv;header=present', 'csv'],
    ['a.txt', 'text/markdown', 'markdown'],
    ['a.eml', 'message/rfc822', 'email'],
    ['a.htm', null, 'html'],
    ['a.log', null, 'text'],
    ['noname', 'application/x-something', 'text'],
    [null, null, 'text'],
  ])('a text %s of type %s is %s', (name, type, expected) => {
    expect(kind(name, type)).toBe(expected);
  });

  it('is never guessed against name or type: both are named', () => {
    expect(kind('budget.pdf', 'application/pdf', FILE_KINDS.xlsx)).toBe(
      'The file is xlsx by its bytes, but its name says pdf (budget.pdf) and its type says pdf (application/pdf); send it as what it is.',
    );
    expect(kind('a.docx', null)).toMatch(/^The file is text, or damaged, by its bytes, but its name says docx/);
    expect(kind('a.txt', null, FILE_KINDS.pdf)).toMatch(/^The file is pdf by its bytes, but its name says text/);
    expect(kind('a.md', 'text/html')).toMatch(/^The name of the file says markdown, but its type says html/);
    expect(kind('a.pdf', 'text/plain', FILE_KINDS.pdf)).toMatch(/but its type says text\/plain; send/);
  });

  it('that is not read is named, with the remedy', () => {
    expect(kind('a.doc', null, 'application/x-cfb')).toMatch(/^The file is an Office file of the old binary form/);
    expect(kind('a.zip', null, 'application/zip')).toBe('The file is an archive; send the files in it one by one.');
    expect(kind('a.png', null, 'image/png')).toMatch(/^The file is image\/png by its bytes, which is none/);
    expect(kind('constructor', 'constructor')).toBe('text');
  });
});

describe('the character set of a type', () => {
  it('is its parameter', () => {
    expect([charsetOf('text/plain; charset="ISO-8859-1"'), charsetOf('text/plain'), charsetOf(null)]).toEqual([
      'ISO-8859-1',
      undefined,
      undefined,
    ]);
  });
});
