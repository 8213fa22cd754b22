import { MAX_CONTENT_BYTES } from '../ingest.types.js';
import { UnreadableFile } from './extraction.types.js';
import { columnName } from './locations.rules.js';
import type { LocatedText } from './located-text.js';

/** Characters of a piece of a table. Each piece has the header, so that a passage says what its columns are. */
const PIECE_CHARACTERS = 900;

const EMPTY_CELL = ' | ';

/** A row that holds something: its cells from the first column on, and its number from 1. */
export interface TableRow {
  readonly cells: readonly string[];
  readonly number: number;
}

/**
 * Writes rows as Markdown tables (GFM 4.10), the first one as the header, each row with its cells as its place.
 * @param sheet its name, where the file has sheets
 * @throws UnreadableFile where empty cells alone would make the text too large
 */
export function addTable(out: LocatedText, rows: readonly TableRow[], sheet?: string): void {
  const [header, ...body] = rows;
  if (!header) return;
  const width = rows.reduce((most, { cells }) => Math.max(most, cells.length), 0);
  if (rows.length * width * EMPTY_CELL.length > MAX_CONTENT_BYTES)
    throw new UnreadableFile(
      `A table of ${rows.length} rows is ${width} columns wide, empty cells included: its text is larger than is taken. Divide it, or delete what stands far from the rest.`,
    );
  const addRow = (row: TableRow): void =>
    out.add(`${lineOf(row, width)}\n`, { ...(sheet === undefined ? {} : { sheet }), cells: rangeOf(row) });
  const delimiter = `|${' --- |'.repeat(width)}\n`;
  addRow(header);
  out.add(delimiter);
  let size = 0;
  for (const row of body) {
    if (size > PIECE_CHARACTERS) {
      out.add(`\n${lineOf(header, width)}\n${delimiter}`);
      size = 0;
    }
    addRow(row);
    size += row.cells.reduce((sum, cell) => sum + cell.length + 3, 0);
  }
  out.add('\n');
}

function lineOf({ cells }: TableRow, width: number): string {
  const shown = Array.from({ length: width }, (_, index) => cellOf(cells[index] ?? ''));
  return `| ${shown.join(EMPTY_CELL)} |`;
}

/** One line; a bar would end the cell. */
const cellOf = (text: string): string => text.trim().replace(/\s+/g, ' ').replaceAll('|', '\\|');

const rangeOf = ({ cells, number }: TableRow): string =>
  `A${number}:${columnName(Math.max(0, cells.length - 1))}${number}`;
