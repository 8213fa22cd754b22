import readWorkbook from 'read-excel-file/node';
import { FILE_KINDS } from './file-kind.rules.js';
import { UnreadableFile, type ExtractedFile, type SentFile } from './extraction.types.js';
import { titleOf } from './docx-text.js';
import { LocatedText } from './located-text.js';
import { SafeArchive } from './safe-archive.js';
import { addTable, type TableRow } from './table-text.js';
import { checkExtent } from './xlsx-extent.js';
import { XlsxTimes } from './xlsx-times.js';

/** The sheets of a workbook as tables, each under its name: values as last computed, errors as they are shown. */
export async function readXlsx({ bytes }: SentFile): Promise<ExtractedFile> {
  const archive = await SafeArchive.read(bytes);
  checkExtent(archive);
  const out = new LocatedText();
  const sheets = await readSheets(await archive.markup(archive.namesOf('sheetData'), withErrorsAsText));
  const times = new XlsxTimes(archive);
  for (const { sheet, data } of sheets) {
    const timeOf = times.ofSheet(sheet);
    const rows = data.map((cells, row): TableRow => {
      const texts = cells.map((value, column) => (value instanceof Date ? timeOf(value, row, column) : textOf(value)));
      return { cells: trimEnd(texts), number: row + 1 };
    });
    const filled = rows.filter(({ cells }) => cells.length > 0);
    if (filled.length === 0) continue;
    out.add(`## ${sheet}\n\n`);
    addTable(out, filled, sheet);
  }
  if (out.text === '') throw new UnreadableFile('The workbook has no cell with a value.');
  const { text, locations } = out;
  return { text, contentType: 'text/markdown', mediaType: FILE_KINDS.xlsx, title: titleOf(archive), locations };
}

/** The start of a cell whose type says that it shows an error (ECMA-376, part 1, 18.18.11). */
const ERROR_CELL = /(<(?:[^<>\s:]*:)?c(?=\s)[^<>]*?\st\s*=\s*)(?:"e"|'e')/g;

/** The reader takes a cell with an error, such as `#REF!`, for an empty one; as the text that it shows it keeps it. */
const withErrorsAsText = (sheet: string): string => sheet.replace(ERROR_CELL, '$1"str"');

async function readSheets(bytes: Buffer) {
  try {
    return await readWorkbook(bytes);
  } catch (error) {
    throw new UnreadableFile('The workbook is damaged; open it and save it again.', { cause: error });
  }
}

const textOf = (value: unknown): string =>
  ['string', 'number', 'boolean'].includes(typeof value) ? `${value as string}` : '';

function trimEnd(cells: readonly string[]): string[] {
  const last = cells.findLastIndex((cell) => cell.trim() !== '');
  return cells.slice(0, last + 1);
}
