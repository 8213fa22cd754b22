/** A stretch of a Markdown document that can be parsed on its own, or, with `parsed` false, is better read as plain text. */
export interface MarkdownSection {
  readonly start: number;
  readonly end: number;
  readonly parsed: boolean;
}

/**
 * Bounds of what the Markdown parser gets at once. It is not linear in the number of blocks (16,000 setext headings take 40 s) and spends
 * most time a line and a table cell, so a section's cost is counted as its lines and pipes. The document's own bound keeps 4 MiB of bare
 * list markers within seconds; it is far above what books have. All bounds are counts, not clocks: the same text always gives the same chunks.
 */
const SECTION_COST = 500;
const LARGEST_SECTION_COST = 2_000;
const SECTION_UNITS = 16_384;
const LARGEST_SECTION_UNITS = 65_536;
const LARGEST_DOCUMENT_COST = 100_000;
const PIPE = 0x7c;
const CARRIAGE_RETURN = 0x0d;
/** Block quotes and lists opened on one line. */
const TOO_DEEP = /^(?:[ \t]{0,8}(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])){17}/;

/**
 * Cuts a Markdown document where no block can reach across: before an ATX heading or after a blank line at the left margin, outside code
 * fences. Sections follow one another without gaps.
 */
export function* sectionsOf(source: string): Generator<MarkdownSection> {
  const section = new OpenSection();
  let spent = 0;
  for (const line of linesOf(source)) {
    if (section.isFull && section.mayEndBefore(line)) {
      spent += section.cost;
      yield section.close(line.start, spent <= LARGEST_DOCUMENT_COST);
    }
    section.add(line);
  }
  if (section.start < source.length) yield section.close(source.length, spent + section.cost <= LARGEST_DOCUMENT_COST);
}

interface Line {
  readonly start: number;
  readonly end: number;
  /** The line's first 512 code units: enough to see what it opens. */
  readonly head: string;
  readonly marks: number;
}

class OpenSection {
  start = 0;
  cost = 0;
  private end = 0;
  private fence: string | undefined;
  private afterBlank = false;
  private tooDeep = false;

  get isFull(): boolean {
    return this.cost >= SECTION_COST || this.end - this.start >= SECTION_UNITS;
  }

  mayEndBefore(line: Line): boolean {
    if (this.isTooLarge && this.afterBlank) return true;
    if (this.fence !== undefined) return false;
    return /^#{1,6}[ \t]/.test(line.head) || (this.afterBlank && /^[^\s\-*+\d>|]/.test(line.head));
  }

  add(line: Line): void {
    this.end = line.end;
    this.cost += 1 + line.marks;
    this.afterBlank = line.head.trim() === '';
    this.tooDeep ||= TOO_DEEP.test(line.head);
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line.head)?.[1];
    if (fence === undefined) return;
    if (this.fence === undefined) this.fence = fence;
    else if (fence.startsWith(this.fence)) this.fence = undefined;
  }

  close(end: number, affordable: boolean): MarkdownSection {
    const section = { start: this.start, end, parsed: affordable && !this.tooDeep && !this.isTooLarge };
    Object.assign(this, { start: end, end, cost: 0, fence: undefined, afterBlank: false, tooDeep: false });
    return section;
  }

  private get isTooLarge(): boolean {
    return this.cost > LARGEST_SECTION_COST || this.end - this.start > LARGEST_SECTION_UNITS;
  }
}

function* linesOf(source: string): Generator<Line> {
  for (let start = 0; start < source.length;) {
    const feed = source.indexOf('\n', start);
    const end = feed === -1 ? source.length : feed + 1;
    yield { start, end, head: source.slice(start, Math.min(end, start + 512)), marks: countMarks(source, start, end) };
    start = end;
  }
}

/** The cells and bare carriage returns (line ends too) of a line. */
function countMarks(source: string, start: number, end: number): number {
  let marks = 0;
  for (let at = start; at < end; at += 1) {
    const unit = source.charCodeAt(at);
    if (unit === PIPE || unit === CARRIAGE_RETURN) marks += 1;
  }
  return marks;
}
