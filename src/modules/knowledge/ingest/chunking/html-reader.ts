import type { Token } from 'parse5';
import type { ExtractedText } from './chunking.types.js';
import { Gap, HtmlText } from './html-text.js';

const LEFT_OUT = words(
  'script style template noscript head iframe object embed svg canvas audio video select textarea datalist',
);
const LINE_ENDS = words('br hr tr caption dt dd option li');
const CELLS = words('td th');
const PREFORMATTED = words('pre listing plaintext xmp');
const GROUPS = words('ul ol dl table pre listing plaintext xmp');
/** With one of these in a cell the row is laid out, not a line. */
const NO_CELL_OF_A_LINE = new Set([...PREFORMATTED, 'table']);
const BLOCKS = words(
  'address article aside blockquote body center details dialog dir div fieldset figcaption figure footer form header hgroup html legend main menu nav p search section summary',
);
const MAX_HEADING = 200;
/** Lists and tables inside one another beyond this are read as part of the innermost one. */
const DEEPEST_GROUP = 64;

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}

/**
 * Turns the open tags, close tags and text of an HTML document, in order, into blocks of text. A list, table or
 * preformatted text is one block with a line an item or row, whatever paragraphs the cells of the row have; elements
 * need not be balanced.
 */
export class HtmlReader {
  private readonly out = new HtmlText();
  private readonly headings: { depth: number; title: string }[] = [];
  private heading: { depth: number; title: string; path: string[] } | undefined;
  private readonly groups: string[] = [];
  private preformatted = 0;

  constructor(private readonly source: string) {}

  /** False: the element and all that is in it is left out. */
  open(tag: string, attributes: readonly Token.Attribute[]): boolean {
    if (LEFT_OUT.has(tag) || attributes.some(hides)) return false;
    const depth = headingDepth(tag);
    if (depth > 0) this.openHeading(depth);
    else if (GROUPS.has(tag)) this.openGroup(tag);
    else if (CELLS.has(tag)) this.out.openCell();
    else this.separate(tag);
    if (tag === 'tr') this.out.openRow();
    if (tag === 'li') this.out.mark(`${'  '.repeat(Math.max(0, Math.min(this.groups.length, 8) - 1))}- `);
    return true;
  }

  close(tag: string): void {
    if (headingDepth(tag) > 0) this.closeHeading();
    else if (GROUPS.has(tag)) this.closeGroup(tag);
    else if (CELLS.has(tag)) this.out.closeCell();
    else this.separate(tag);
  }

  text(value: string, start: number, end: number): void {
    if (this.heading && this.heading.title.length < MAX_HEADING) this.heading.title += value.slice(0, MAX_HEADING);
    this.out.append(value, this.source, start, end, this.preformatted > 0);
  }

  finish(): ExtractedText {
    return this.out.finish();
  }

  private separate(tag: string): void {
    if (tag === 'tr') this.out.closeRow();
    if (LINE_ENDS.has(tag)) this.out.separate(Gap.Line);
    else if (BLOCKS.has(tag)) this.out.separate(this.groups.length > 0 ? Gap.Line : Gap.Block);
  }

  private openHeading(depth: number): void {
    this.closeHeading();
    while ((this.headings.at(-1)?.depth ?? 0) >= depth) this.headings.pop();
    this.heading = { depth, title: '', path: this.path() };
    this.out.enter('heading', this.heading.path);
  }

  private closeHeading(): void {
    if (this.heading === undefined) return;
    const { depth, path } = this.heading;
    const title = this.heading.title.replace(/\s+/g, ' ').trim().slice(0, MAX_HEADING).toWellFormed();
    if (title !== '') {
      path.push(title);
      this.headings.push({ depth, title });
    }
    this.heading = undefined;
    this.out.enter(this.groups.length > 0 ? 'lines' : 'prose', this.path());
  }

  private openGroup(tag: string): void {
    if (NO_CELL_OF_A_LINE.has(tag)) this.out.leaveRow();
    if (this.groups.length === 0) this.out.enter('lines', this.path());
    else this.out.separate(Gap.Line);
    if (this.groups.length === DEEPEST_GROUP) return;
    this.groups.push(tag);
    if (PREFORMATTED.has(tag)) this.preformatted += 1;
  }

  private closeGroup(tag: string): void {
    if (tag === 'table') this.out.closeRow();
    const opened = this.groups.lastIndexOf(tag);
    if (opened === -1) return;
    for (const closed of this.groups.splice(opened)) if (PREFORMATTED.has(closed)) this.preformatted -= 1;
    if (this.groups.length === 0) this.out.enter('prose', this.path());
    else this.out.separate(Gap.Line);
  }

  private path(): string[] {
    return this.headings.map((heading) => heading.title);
  }
}

function headingDepth(tag: string): number {
  return /^h[1-6]$/.test(tag) ? Number(tag.charAt(1)) : 0;
}

function hides({ name, value }: Token.Attribute): boolean {
  return name === 'hidden' || (name === 'style' && /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(value));
}
