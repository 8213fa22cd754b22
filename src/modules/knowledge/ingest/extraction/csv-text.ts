import { parse } from 'csv-parse/sync';
import { charsetOf, FILE_KINDS } from './file-kind.rules.js';
import { decodeText } from './decode-text.js';
import { UnreadableFile, type ExtractedFile, type SentFile } from './extraction.types.js';
import { LocatedText } from './located-text.js';
import { addTable } from './table-text.js';

/** How much of a table its delimiter is found out from. */
const SAMPLED_LENGTH = 1024 * 1024;
const DELIMITERS = [',', ';', '\t', '|'];
/** A first line by which Excel knows the delimiter; it is no row of the sheet. */
const STATED_DELIMITER = /^"?sep=([^"\r\n])"?(?:\r?\n|$)/i;

export const readCsv = (file: SentFile): ExtractedFile => readRows(file, 'csv');
export const readTsv = (file: SentFile): ExtractedFile => readRows(file, 'tsv');

/** Rows as a table (RFC 4180), the first one as its header. Rows are counted as spreadsheets do. */
function readRows({ bytes, mediaType }: SentFile, kind: 'csv' | 'tsv'): ExtractedFile {
  const source = decodeText(bytes, charsetOf(mediaType));
  const [line = '', stated] = STATED_DELIMITER.exec(source) ?? [];
  const delimiter = stated ?? (kind === 'tsv' ? '\t' : delimiterOf(source));
  const rows = parseRows(source.slice(line.length), delimiter)
    .map((cells, index) => ({ cells, number: index + 1 }))
    .filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  if (rows.length === 0) throw new UnreadableFile('The table is empty.');
  const out = new LocatedText();
  addTable(out, rows);
  return { text: out.text, contentType: 'text/markdown', mediaType: FILE_KINDS[kind], locations: out.locations };
}

function parseRows(source: string, delimiter: string): string[][] {
  try {
    return parse(source, { delimiter, bom: true, relax_column_count: true, skip_empty_lines: false });
  } catch (error) {
    const { lines } = error as { lines?: number };
    const where = lines === undefined ? '' : ` near line ${lines}`;
    throw new UnreadableFile(`The table cannot be read${where}: check its quotation marks.`, { cause: error });
  }
}

/** The delimiter that the first line has most of. What stands between quotation marks delimits nothing. */
function delimiterOf(source: string): string {
  const unquoted = source
    .slice(0, SAMPLED_LENGTH)
    .split('"')
    .filter((_, index) => index % 2 === 0);
  const [line = ''] = unquoted.join('').split(/\r?\n/, 1);
  const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))]!;
}
