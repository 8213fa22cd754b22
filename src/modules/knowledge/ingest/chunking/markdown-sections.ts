import { effortOf, isBlank, linesOf, PlainLines, type Line } from './markdown-lines.js';

/**
 * A stretch of a Markdown document on which nothing before it has an effect; without parts it is better read as plain
 * text.
 */
export interface MarkdownSection {
  readonly start: number;
  readonly end: number;
  readonly parts?: readonly MarkdownPart[];
}

/**
 * A stretch of a section: `isPlain` when it has only paragraphs, plain headings and code fences, which need no parser.
 */
export interface MarkdownPart {
  start: number;
  end: number;
  isPlain: boolean;
  effort: number;
}

/**
 * Bounds of what the Markdown parser gets at once. It is not linear in the number of blocks (16,000 setext headings
 * take 40 s) and spends most time a line and a table cell, so a section's cost is counted as its lines and pipes. All
 * bounds are counts, not clocks: the same text always gives the same chunks.
 */
const SECTION_COST = 500;
const MAX_SECTION_COST = 2_000;
const SECTION_UNITS = 16_384;
const MAX_SECTION_UNITS = 65_536;
/** What the parser may do for a whole document, in units of {@link effortOf}. */
const DOCUMENT_EFFORT = 23_000;
const UNITS_OF_TEXT_AN_EFFORT = 250;
const EFFORT_OF_A_START = 6;
/** Block quotes and lists opened on one line. */
const TOO_DEEP = /^(?:[ \t]{0,8}(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])){17}/;
/** HTML that goes on behind a blank line, and a fence that may be a list item's or not. */
const REACHES_FAR = /^ {0,3}<(?:script|pre|style|textarea|[?!])|^ {1,3}(?:```|~~~)/i;

/**
 * Cuts a Markdown document where no block can reach across: before an ATX heading or after a blank line at the left
 * margin, outside code fences. Sections follow one another without gaps.
 */
export function* sectionsOf(source: string): Generator<MarkdownSection> {
  const section = new OpenSection();
  let left = DOCUMENT_EFFORT + source.length / UNITS_OF_TEXT_AN_EFFORT;
  const close = (end: number): MarkdownSection => {
    const { start, parts } = section.close(end);
    const effort = parts?.reduce((sum, part) => sum + (part.isPlain ? 0 : part.effort + EFFORT_OF_A_START), 0) ?? 0;
    if (effort > left) return { start, end };
    left -= effort;
    return { start, end, parts };
  };
  for (const line of linesOf(source)) {
    if (section.isFull && section.mayEndBefore(line)) yield close(line.start);
    section.add(line);
  }
  if (section.start < source.length) yield close(source.length);
}

class OpenSection {
  start = 0;
  private cost = 0;
  private end = 0;
  private fence: string | undefined;
  private afterBlank = false;
  private tooDeep = false;
  private parts = new OpenParts(0);

  get isFull(): boolean {
    return this.cost >= SECTION_COST || this.end - this.start >= SECTION_UNITS;
  }

  mayEndBefore(line: Line): boolean {
    if (this.isTooLarge && this.afterBlank) return true;
    if (this.fence !== undefined) return false;
    return /^#{1,6}[ \t]/.test(line.head) || (this.afterBlank && /^[^\s\-*+\d>|]/.test(line.head));
  }

  add(line: Line): void {
    this.parts.add(line, this.afterBlank);
    this.end = line.end;
    this.cost += 1 + line.marks;
    this.afterBlank = line.head.trim() === '';
    this.tooDeep ||= TOO_DEEP.test(line.head);
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line.head)?.[1];
    if (fence === undefined) return;
    if (this.fence === undefined) this.fence = fence;
    else if (fence.startsWith(this.fence)) this.fence = undefined;
  }

  close(end: number): MarkdownSection {
    const parts = this.tooDeep || this.isTooLarge ? undefined : this.parts.close(end);
    const section = { start: this.start, end, parts };
    Object.assign(this, { start: end, end, cost: 0, fence: undefined, afterBlank: false, tooDeep: false });
    this.parts = new OpenParts(end);
    return section;
  }

  private get isTooLarge(): boolean {
    return this.cost > MAX_SECTION_COST || this.end - this.start > MAX_SECTION_UNITS;
  }
}

/** Divides a section into what needs the parser and what does not, where no block reaches across. */
class OpenParts {
  private readonly parts: MarkdownPart[] = [];
  private last: MarkdownPart;
  private readonly lines = new PlainLines();
  private reachesFar = false;

  constructor(private readonly start: number) {
    this.last = { start, end: start, isPlain: true, effort: 0 };
  }

  add(line: Line, afterBlank: boolean): void {
    const { inFence } = this.lines;
    const { isPlain } = this.last;
    if (!inFence && afterBlank && (isPlain ? /^\S/ : /^[^\s\-*+\d>|]/).test(line.head)) this.endLast(line.start);
    const kind = this.lines.kindOf(line);
    this.reachesFar ||= !inFence && (REACHES_FAR.test(line.head) || (kind === 'fence' && !afterBlank && !isPlain));
    if (kind === 'other') this.last.isPlain = false;
    this.last.effort += kind === 'code' || isBlank(line) ? 0.25 : effortOf(line);
  }

  close(end: number): MarkdownPart[] {
    this.endLast(end);
    if (!this.reachesFar) return this.parts;
    const effort = this.parts.reduce((sum, part) => sum + part.effort, 0);
    return [{ start: this.start, end, isPlain: false, effort }];
  }

  private endLast(end: number): void {
    this.last.end = end;
    if (end > this.last.start) this.parts.push(this.last);
    this.last = { start: end, end, isPlain: true, effort: 0 };
    this.join();
  }

  /**
   * Joins parts that are read in one way, and a plain one between two others when starting the parser again costs more
   * than it does.
   */
  private join(): void {
    const [first, second, third] = this.parts.slice(-3);
    if (third && !first!.isPlain && second!.isPlain && !third.isPlain && second!.effort < EFFORT_OF_A_START) {
      second!.isPlain = false;
      this.joinLast(3);
    } else if (this.parts.length > 1 && this.parts.at(-2)!.isPlain === this.parts.at(-1)!.isPlain) this.joinLast(2);
  }

  private joinLast(count: number): void {
    const joined = this.parts.splice(-count);
    const effort = joined.reduce((sum, part) => sum + part.effort, 0);
    this.parts.push({ ...joined[0]!, end: joined.at(-1)!.end, effort });
  }
}
