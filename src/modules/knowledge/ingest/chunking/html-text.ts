import type { Block, BlockKind, ExtractedText } from './chunking.types.js';
import { pushBlock } from './plain-text.js';
import { TokenMeter } from './token-meter.js';

/** What separates the next text from the one before it; the greater wins. */
export enum Gap {
  None,
  Space,
  Cell,
  Line,
  Block,
}

const BORDER = ' | ';
const SEPARATORS = ['', ' ', BORDER, '\n', '\n\n'];
/**
 * Characters of a row that is one line whatever its cells hold. What is longer fills a passage, and keeps its lines.
 */
const MAX_ROW_LENGTH = 2_000;

/** A row of a table whose cells are being read. */
interface Row {
  readonly start: number;
  cells: number;
  /** Line ends within its cells. */
  readonly lineEnds: number[];
}

/**
 * Collects the readable text of an HTML document with, for each stretch, where it stands in the source. White space
 * collapses as a browser would show it, except in preformatted text; blocks are divided by an empty line.
 */
export class HtmlText {
  private text = '';
  private gap = Gap.None;
  private pendingMark = '';
  private row: Row | undefined;
  /** Borders of cells since the last text of the row. */
  private borders = 0;
  /** Line ends that are spaces: a space is as long, so that all offsets stay. */
  private readonly joined: number[] = [];
  private readonly starts: { start: number; kind: BlockKind; headingPath: readonly string[] }[] = [];
  private readonly map = new SourceMap();
  private block: { kind: BlockKind; headingPath: readonly string[] } = { kind: 'prose', headingPath: [] };

  /** Divides what follows from what came before. */
  separate(gap: Gap): void {
    this.gap = Math.max(this.gap, gap);
  }

  /** What the blocks from here on are. */
  enter(kind: BlockKind, headingPath: readonly string[]): void {
    this.leaveRow();
    this.separate(Gap.Block);
    this.block = { kind, headingPath };
  }

  openRow(): void {
    this.row = { start: this.text.length, cells: 0, lineEnds: [] };
  }

  /** Each cell but the first one has a border before it, whether or not there is text in it. */
  openCell(): void {
    if (this.row === undefined) return this.separate(Gap.Cell);
    if (this.row.cells > 0) this.borders += 1;
    this.row.cells += 1;
  }

  closeCell(): void {
    this.separate(this.row === undefined ? Gap.Cell : Gap.Space);
  }

  /** A row with text has all its borders; one of several cells is one line. */
  closeRow(): void {
    const { row } = this;
    if (row && this.isWithin(row)) {
      this.text += BORDER.repeat(this.borders).trimEnd();
      if (row.cells > 1 && this.text.length - row.start <= MAX_ROW_LENGTH) this.joined.push(...row.lineEnds);
    }
    this.leaveRow();
  }

  /** What follows is no cell of one line, such as a table within the row's table. */
  leaveRow(): void {
    this.row = undefined;
    this.borders = 0;
  }

  /** Text that is not in the source, such as the mark of a list item. */
  mark(text: string): void {
    this.pendingMark = text;
  }

  /**
   * The text `value` of the source's stretch from `start` to `end`. Offsets are exact to the code unit where the
   * stretch spells the value plainly or with character references, otherwise they point to the stretch as a whole.
   */
  append(value: string, source: string, start: number, end: number, preformatted: boolean): void {
    const reader = new SourceReader(source, start, end);
    let written = 0;
    for (let at = 0; at < value.length; at += 1) {
      const [from, to] = reader.next(value, at);
      if (!preformatted && collapses(value.charCodeAt(at))) {
        this.text += value.slice(written, at);
        written = at + 1;
        this.separate(Gap.Space);
        continue;
      }
      if (written === at) this.bridge();
      this.map.add(this.text.length + at - written, from, to);
    }
    this.text += value.slice(written);
  }

  finish(): ExtractedText {
    const { map } = this;
    const text = this.joinLines();
    const blocks: Block[] = [];
    this.starts.forEach((block, index) => {
      pushBlock(blocks, text, { ...block, end: this.starts[index + 1]?.start ?? text.length });
    });
    return { text, blocks, tokens: new TokenMeter(text), sourceRange: (start, end) => map.rangeOf(start, end) };
  }

  private bridge(): void {
    const opens = this.starts.length === 0 || this.gap === Gap.Block;
    const borders = BORDER.repeat(this.borders);
    const isWithinRow = this.row !== undefined && this.isWithin(this.row);
    if (isWithinRow && borders !== '') this.text += borders;
    else {
      if (isWithinRow && this.gap === Gap.Line) this.row?.lineEnds.push(this.text.length);
      if (this.text !== '') this.text += SEPARATORS[this.gap];
      if (opens) this.starts.push({ start: this.text.length, ...this.block });
      this.text += borders.trimStart();
    }
    this.borders = 0;
    this.gap = Gap.None;
    this.text += this.pendingMark;
    this.pendingMark = '';
  }

  /** Whether the row has text already. */
  private isWithin({ start }: Row): boolean {
    return this.text.length > start;
  }

  private joinLines(): string {
    const ends = [-1, ...this.joined];
    return ends.map((end, index) => this.text.slice(end + 1, ends[index + 1] ?? this.text.length)).join(' ');
  }
}

/** HTML's white space, which a browser shows as one space; a no-break space is a character. */
function collapses(unit: number): boolean {
  return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
}

/** Follows the decoded text of a stretch through its source. */
class SourceReader {
  private at: number;
  private isExact = true;

  constructor(
    private readonly source: string,
    private readonly start: number,
    private readonly end: number,
  ) {
    this.at = start;
  }

  /** The source range of `value[index]`; calls go through `value` in order. */
  next(value: string, index: number): [number, number] {
    if (!this.isExact) return [this.start, this.end];
    const from = this.at;
    const unit = value.charAt(index);
    const reference = this.source.charAt(from) === '&' ? this.reference(value, index) : '';
    if (reference !== '') this.at += reference.length;
    else if (this.source.charAt(from) === unit) this.at += 1;
    else if (unit === '\n' && this.source.charAt(from) === '\r')
      this.at += this.source.charAt(from + 1) === '\n' ? 2 : 1;
    else this.isExact = this.isSecondHalf(value, index);
    return this.isExact ? [Math.min(from, this.at), this.at] : [this.start, this.end];
  }

  /** A character reference at this place, unless it stands for itself. */
  private reference(value: string, index: number): string {
    const written = this.source.slice(this.at, Math.min(this.end, this.at + 40));
    const match = /^&(?:#[xX][0-9a-fA-F]+|#[0-9]+|[a-zA-Z][a-zA-Z0-9]*);?/.exec(written)?.[0] ?? '';
    return value.startsWith(match, index) ? '' : match;
  }

  /** A reference may stand for two code units: the second one has no source of its own. */
  private isSecondHalf(value: string, index: number): boolean {
    const before = this.source.charAt(this.at - 1);
    return before === ';' && value.charCodeAt(index) > 0x7f && index > 0;
  }
}

/** Runs of text whose source offsets advance in step, found by binary search. */
class SourceMap {
  private readonly texts: number[] = [];
  private readonly starts: number[] = [];
  private readonly ends: number[] = [];
  private readonly plain: boolean[] = [];

  add(text: number, start: number, end: number): void {
    const last = this.texts.length - 1;
    const inStep = last >= 0 && this.plain[last] && end - start === 1 && this.ends[last] === start;
    if (inStep && text - this.texts[last]! === start - this.starts[last]!) {
      this.ends[last] = end;
      return;
    }
    this.texts.push(text);
    this.starts.push(start);
    this.ends.push(end);
    this.plain.push(end - start === 1);
  }

  /** The least stretch of the source that holds all runs in [start, end): runs need not be in source order. */
  rangeOf(start: number, end: number): [number, number] {
    let least = Infinity;
    let greatest = 0;
    for (let run = Math.max(0, this.runBefore(start)); run < this.texts.length && this.texts[run]! < end; run += 1) {
      const skipped = this.plain[run] ? Math.max(0, start - this.texts[run]!) : 0;
      const from = this.starts[run]! + skipped;
      const to = this.plain[run]
        ? Math.min(this.ends[run]!, this.starts[run]! + end - this.texts[run]!)
        : this.ends[run]!;
      // The run before `start` may end before it.
      if (from >= this.ends[run]! || (!this.plain[run] && this.texts[run]! < start)) continue;
      least = Math.min(least, from);
      greatest = Math.max(greatest, to);
    }
    return least === Infinity ? [0, 0] : [least, greatest];
  }

  /** The last run that begins at or before `offset`, or -1. */
  private runBefore(offset: number): number {
    let low = 0;
    let high = this.texts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.texts[middle]! <= offset) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
