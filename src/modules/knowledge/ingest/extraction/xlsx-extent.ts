import { UnreadableFile } from './extraction.types.js';
import { columnNumber } from './locations.rules.js';
import type { SafeArchive } from './safe-archive.js';

/** The last column and row that a sheet may have (Excel specifications and limits): XFD1048576. */
const MAX_COLUMNS = 16_384;
const MAX_ROWS = 1_048_576;
/** Cells up to the last one with a value, in all sheets: arrays are made of them, of the empty ones as well. */
const MAX_CELLS = 8 * 1024 * 1024;

/** The start of a cell or a row, in whatever namespace. */
const START = /<(?:[^<>\s:]*:)?(c|row)(?![\p{L}\p{N}_.:-])/gu;
/** All attributes of an element, and its end (XML 1.0, 3.1). */
const ATTRIBUTES = /((?:\s+[^\s=<>"'/]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/y;
/** Where it says that it stands. */
const REFERENCE = /\s(?!xmlns:)(?:[^\s=]*:)?r\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const PLACE = /^([A-Z]{0,3})(\d{1,7})$/;

/**
 * Looks where the cells of a workbook say that they stand, before anything makes arrays up to there: one array as wide
 * as a wild reference says takes the process down, which no bound of a thread's memory prevents.
 * @throws UnreadableFile
 */
export function checkExtent(archive: SafeArchive): void {
  // In whatever file: where a sheet is, the workbook says.
  const sheets = archive.namesOf('sheetData').map((name) => extentOf(archive.text(name)));
  const cells = sheets.reduce((sum, { columns, rows }) => sum + columns * rows, 0);
  if (cells > MAX_CELLS)
    throw new UnreadableFile(
      `The workbook is too wide or too long: up to its last values it has ${cells} cells, empty ones included, and at most ${MAX_CELLS} are read. Delete what stands far from the rest, or divide it.`,
    );
}

/** Up to the last cell that holds something. */
function extentOf(sheet: string): { columns: number; rows: number } {
  const extent = { columns: 0, rows: 0 };
  for (const { index, 0: start, 1: element } of sheet.matchAll(START)) {
    ATTRIBUTES.lastIndex = index + start.length;
    const [whole, attributes, closing] = ATTRIBUTES.exec(sheet) ?? [];
    // A reader may see other attributes in what is no XML.
    if (whole === undefined) throw damaged();
    const places = [...attributes!.matchAll(REFERENCE)].map(([, double, single]) => placeOf(double ?? single!));
    const isEmpty = closing === '/' || sheet.startsWith('</', ATTRIBUTES.lastIndex);
    if (element === 'row' || isEmpty) continue;
    for (const { column, row } of places) {
      extent.columns = Math.max(extent.columns, column);
      extent.rows = Math.max(extent.rows, row);
    }
  }
  return extent;
}

/** Of a row without a column. */
function placeOf(reference: string): { column: number; row: number } {
  const [, letters, digits] = PLACE.exec(reference) ?? [];
  const [column, row] = [columnNumber(letters ?? ''), Number(digits)];
  if (digits === undefined || column > MAX_COLUMNS || row > MAX_ROWS) throw damaged();
  return { column, row };
}

const damaged = () =>
  new UnreadableFile('The workbook is damaged: a cell stands where no sheet has any. Open it and save it again.');
