import { columnName } from './locations.rules.js';
import { relationsOf } from './pptx-text.js';
import type { SafeArchive } from './safe-archive.js';
import { elementsIn, parseXml } from './xml.js';

const WORKBOOK = 'xl/workbook.xml';
const STYLES = 'xl/styles.xml';
/** `[h]:mm:ss`, the one that needs no code (ECMA-376, part 1, 18.8.30). */
const BUILT_IN_DURATION = '46';
/** Hours, minutes or seconds that are counted past a day (18.8.31). */
const DURATION = /\[(?:h+|m+|s+)\]/i;
const SECONDS_OF_A_DAY = 86_400;

/**
 * What the reader of workbooks does not say of a Date: the day from which it is counted, and whether it is a duration.
 */
export class XlsxTimes {
  private readonly firstDay: number;
  private readonly styles: ReadonlySet<string>;

  constructor(private readonly archive: SafeArchive) {
    const [properties] = elementsIn(parseXml(archive.text(WORKBOOK)), 'workbookPr');
    const is1904 = /^(?:1|true)$/.test(properties?.attributes['date1904'] ?? '');
    this.firstDay = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30);
    this.styles = durationStyles(archive);
  }

  /** Writes a cell's Date: a date in ISO 8601, a time of day as HH:MM, a duration as H:MM:SS. */
  ofSheet(sheet: string): (date: Date, row: number, column: number) => string {
    const durations = this.durationsIn(sheet);
    return (date, row, column) => {
      // The reader counts in fractions of days, and may miss a second by a millisecond.
      const seconds = Math.round((date.getTime() - this.firstDay) / 1000);
      if (durations.has(`${columnName(column)}${row + 1}`)) return durationOf(seconds);
      const text = new Date(this.firstDay + seconds * 1000).toISOString();
      if (seconds >= 0 && seconds < SECONDS_OF_A_DAY) return text.slice(11, 19).replace(/:00$/, '');
      return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, 19);
    };
  }

  /** The cells of a sheet, such as `B2`, whose format is a duration's. Nearly no workbook has any. */
  private durationsIn(name: string): ReadonlySet<string> {
    if (this.styles.size === 0) return new Set();
    const sheets = elementsIn(parseXml(this.archive.text(WORKBOOK)), 'sheet');
    const id = sheets.find(({ attributes }) => attributes['name'] === name)?.attributes['r:id'];
    const path = relationsOf(this.archive, WORKBOOK).find((relation) => relation.id === id)?.path ?? '';
    if (!this.archive.has(path)) return new Set();
    const cells = [...this.archive.text(path).matchAll(/<(?:\w+:)?c\s([^<>]*)>/g)];
    const found = cells.flatMap(([, attributes = '']) => {
      const style = /\bs="(\d+)"/.exec(attributes)?.[1] ?? '';
      const cell = /\br="([A-Z]+\d+)"/.exec(attributes)?.[1];
      return cell !== undefined && this.styles.has(style) ? [cell] : [];
    });
    return new Set(found);
  }
}

/** The numbers of the styles whose format is a duration's. */
function durationStyles(archive: SafeArchive): ReadonlySet<string> {
  if (!archive.has(STYLES)) return new Set();
  const styles = parseXml(archive.text(STYLES));
  const codes = new Map(
    elementsIn(styles, 'numFmt').map(({ attributes }) => [attributes['numFmtId'], attributes['formatCode'] ?? '']),
  );
  const [cells] = elementsIn(styles, 'cellXfs');
  const formats = cells ? elementsIn(cells, 'xf').map(({ attributes }) => attributes['numFmtId'] ?? '') : [];
  const isDuration = (format: string) => DURATION.test(codes.get(format) ?? '') || format === BUILT_IN_DURATION;
  return new Set(formats.flatMap((format, style) => (isDuration(format) ? [String(style)] : [])));
}

function durationOf(seconds: number): string {
  const all = Math.abs(seconds);
  const [minutes, rest] = [Math.floor(all / 60) % 60, all % 60].map((count) => String(count).padStart(2, '0'));
  return `${seconds < 0 ? '-' : ''}${Math.floor(all / 3600)}:${minutes}:${rest}`;
}
