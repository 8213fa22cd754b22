/**
 * A line of a Markdown document with its line feed; a bare carriage return, a line end too, is counted and not
 * followed.
 */
export interface Line {
  readonly start: number;
  readonly end: number;
  /** The line's first 512 code units: enough to see what it opens. */
  readonly head: string;
  /** Its pipes (table cells) and carriage returns. */
  readonly marks: number;
  readonly hasBareReturn: boolean;
}

const PIPE = 0x7c;
const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;

/** An ATX heading whose text is what stands there: no mark-up, no reference, no closing sequence. */
export const PLAIN_HEADING = /^(#{1,6})[ \t]+(\p{L}[^#\\&<>*_~`[\]!\0\r\n]{0,390})\r?\n?$/u;
/** A setext heading of one line of which the same is true. */
export const PLAIN_SETEXT_HEADING = /^(\p{L}[^\\&<>*_~`[\]!|\0\r\n]{0,390})(?:\r\n|\n|\r) {0,3}(?:=+|-+)[ \t]*\r?\n?$/u;
/** Begins or continues a paragraph wherever it stands, and nothing else. */
const PARAGRAPH_LINE = /^(?:[\p{L}"'(\u2018\u201c]|\d+[^\d.)]|\*{1,3}[^\s*]|_{1,3}[^\s_]|`{1,2}[^`])/u;
const BLANK_LINE = /^[ \t]*\r?\n?$/;
/** A code fence at the left margin. */
const FENCE = /^(?:(`{3,})[^`\r\n]*|(~{3,})[^\r\n]*)\r?\n?$/;
const FENCE_END = /^ {0,3}(`{3,}|~{3,})[ \t]*\r?\n?$/;
const MARKERS = /^(?:[ \t]*(?:[-*+>[=]|\d{1,9}[.)]))+/;
const MAX_MARKERS = 8;
/** An underline or rule, or an ATX heading: where it is not plain, its text takes a parser of its own. */
const HEADING = /^ {0,3}(?:#{1,6}(?:[ \t]|$)|[-=]+[ \t]*\r?\n?$)/;

export function* linesOf(source: string, from = 0, to = source.length): Generator<Line> {
  for (let start = from; start < to;) {
    const feed = source.indexOf('\n', start);
    const end = feed === -1 ? to : feed + 1;
    yield { start, end, head: source.slice(start, Math.min(end, start + 512)), ...countMarks(source, start, end) };
    start = end;
  }
}

function countMarks(source: string, start: number, end: number): { marks: number; hasBareReturn: boolean } {
  let marks = 0;
  let hasBareReturn = false;
  for (let at = start; at < end; at += 1) {
    const unit = source.charCodeAt(at);
    if (unit === PIPE || unit === CARRIAGE_RETURN) marks += 1;
    if (unit === CARRIAGE_RETURN && source.charCodeAt(at + 1) !== LINE_FEED) hasBareReturn = true;
  }
  return { marks, hasBareReturn };
}

export function isBlank(line: Line): boolean {
  return BLANK_LINE.test(line.head);
}

/** What the parser has to do for a line, in units of some 30 microseconds. */
export function effortOf(line: Line): number {
  if (isBlank(line)) return 0.25;
  const markers = MARKERS.exec(line.head)?.[0].replace(/[ \t\d]/g, '').length ?? 0;
  const heading = HEADING.test(line.head) && !PLAIN_HEADING.test(line.head) ? 6 : 0;
  return 0.5 + (line.end - line.start) / 50 + line.marks / 2 + 1.5 * Math.min(markers, MAX_MARKERS) + heading;
}

export type LineKind = 'blank' | 'heading' | 'paragraph' | 'fence' | 'code' | 'other';

/**
 * Classifies the lines that follow one another at the left margin, outside lists, quotes and HTML: `fence` opens or
 * closes a block of code, `other` needs the parser. Headings, paragraphs and fences classified so are what CommonMark
 * makes of them.
 */
export class PlainLines {
  private fence: string | undefined;

  get inFence(): boolean {
    return this.fence !== undefined;
  }

  kindOf(line: Line): LineKind {
    if (line.hasBareReturn) return 'other';
    if (this.fence !== undefined) return this.closes(line) ? this.switchFence(undefined) : 'code';
    if (isBlank(line)) return 'blank';
    if (PLAIN_HEADING.test(line.head)) return 'heading';
    if (PARAGRAPH_LINE.test(line.head)) return 'paragraph';
    const opened = FENCE.exec(line.head);
    return opened === null ? 'other' : this.switchFence(opened[1] ?? opened[2]);
  }

  private closes({ head }: Line): boolean {
    return FENCE_END.exec(head)?.[1]?.startsWith(this.fence!) === true;
  }

  private switchFence(fence: string | undefined): LineKind {
    this.fence = fence;
    return 'fence';
  }
}
