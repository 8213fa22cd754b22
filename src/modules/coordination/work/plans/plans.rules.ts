import type { List, ListItem, Nodes } from 'mdast';
import { fromMarkdown, type Options } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { sha256 } from '../../../../evidence/sha256.js';
import type { WorkState } from '../work.types.js';

/** What is looked at of a folder of plans, so that no folder holds the server up. */
export const PLAN_LIMITS = { files: 2_000, entries: 20_000, depth: 8, bytes: 256 * 1024, items: 2_000 } as const;

/** An item of a check-list. */
export interface PlanItem {
  id: string;
  title: string;
  body: string;
  state: Extract<WorkState, 'ready' | 'in_progress' | 'done'>;
  /** The headings that it is under. */
  headings: string[];
  line: number;
}

const PREFIX = 'plan-';
/** Characters of a title, and of what is said below it. */
const MAX_TITLE = 500;
const MAX_BODY = 4_000;

/** Whether a work item is one of a plan file. */
export const isPlanId = (id: string): boolean => id.startsWith(PREFIX);

/** The mark of a check-list item; `[~]` is begun, which GitHub's lists do not know. */
const MARK = /^\[([ xX~])\][ \t]+(?=\S)/;
const STATES: Record<string, PlanItem['state']> = { ' ': 'ready', x: 'done', X: 'done', '~': 'in_progress' };
/**
 * An id that the file itself gives an item: `{#release-notes}` at the end of its first line. Blanks are looked at from
 * the first of a row alone, else a long row would take the square of its length.
 */
const OWN_ID = /(?<![ \t])[ \t]*\{#([A-Za-z0-9._-]{1,64})\}[ \t]*$/;
/** More marks of lists and quotes than anybody writes: reading them takes the square of their number. */
const NESTED = /^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])){40}/m;
const INDENTED = /^[ \t]{200}/m;

/** Blocks alone: what is within a line is shown as it was written, and need not be parsed. */
const BLOCKS: Options = {
  extensions: [
    gfm(),
    {
      disable: {
        null: [
          ...['autolink', 'labelEnd', 'labelStartImage', 'labelStartLink', 'wwwAutolink', 'protocolAutolink'],
          ...['emailAutolink', 'attention', 'characterEscape', 'characterReference', 'codeText', 'hardBreakEscape'],
          ...['htmlText', 'gfmFootnoteCall', 'gfmPotentialFootnoteCall', 'tasklistCheck', 'strikethrough'],
        ],
      },
    },
  ],
  mdastExtensions: gfmFromMarkdown().filter(({ transforms }) => transforms === undefined),
};

/**
 * The check-list items of a plan file, in their order.
 * @param path of the file below the root: ids are made of it
 * @throws Error saying what is wrong with the file
 */
export function readPlan(path: string, source: string): PlanItem[] {
  if (source.includes('\0')) throw new Error('is not text: it has a NUL');
  if (NESTED.test(source) || INDENTED.test(source)) throw new Error('nests lists or quotes more than 40 deep');
  return new PlanReader(path, source).read();
}

class PlanReader {
  private readonly items: PlanItem[] = [];
  private readonly seen = new Map<string, number>();
  private headings: { depth: number; title: string }[] = [];

  constructor(
    private readonly path: string,
    private readonly source: string,
  ) {}

  read(): PlanItem[] {
    for (const node of fromMarkdown(this.source, BLOCKS).children) this.enter(node);
    return this.items;
  }

  private enter(node: Nodes): void {
    if (node.type === 'heading') {
      const title = this.textOf(node).replace(/^#+[ \t]*|(?<![ \t])[ \t]+#+$/g, '');
      this.headings = [...this.headings.filter(({ depth }) => depth < node.depth), { depth: node.depth, title }];
    }
    if (node.type === 'list') this.enterList(node);
    if (node.type === 'blockquote') for (const child of node.children) this.enter(child);
  }

  private enterList(list: List): void {
    for (const item of list.children) {
      this.take(item);
      for (const child of item.children) this.enter(child);
    }
  }

  private take(item: ListItem): void {
    const [first, ...rest] = item.children;
    if (first?.type !== 'paragraph') return;
    const text = this.textOf(first);
    const [mark, sign] = MARK.exec(text) ?? [];
    if (mark === undefined || sign === undefined) return;
    if (this.items.length >= PLAN_LIMITS.items) throw new Error(`has more than ${PLAN_LIMITS.items} check-list items`);
    const [line = '', ...more] = text.slice(mark.length).split(/\r?\n/);
    const title = line.replace(OWN_ID, '').replace(/\s+/g, ' ').trim();
    const below = rest.filter(({ type }) => type !== 'list').map((node) => this.textOf(node));
    this.items.push({
      id: this.idOf(OWN_ID.exec(line)?.[1], title),
      title: title.slice(0, MAX_TITLE).toWellFormed(),
      body: [more.map((one) => one.trim()).join('\n'), ...below].join('\n\n').trim().slice(0, MAX_BODY).toWellFormed(),
      state: STATES[sign]!,
      headings: this.headings.map((heading) => heading.title),
      line: first.position?.start.line ?? 1,
    });
  }

  /**
   * Made of the file and of the text, or of the id that the text gives: checking an item off, moving it and writing
   * others around it leave its id. The second item of the same text counts on.
   */
  private idOf(own: string | undefined, title: string): string {
    const name = own === undefined ? `text:${title}` : `id:${own}`;
    const count = this.seen.get(name) ?? 0;
    this.seen.set(name, count + 1);
    return (
      PREFIX +
      sha256(JSON.stringify([this.path, name, count]))
        .toString('hex')
        .slice(0, 24)
    );
  }

  private textOf({ position }: Nodes): string {
    return this.source.slice(position?.start.offset ?? 0, position?.end.offset ?? 0);
  }
}

/** The project of a plan file: the first folder below the root, else the name of the file. */
export function projectOf(path: string): string {
  const [first = path, ...rest] = path.split('/');
  return (rest.length > 0 ? first : first.replace(/\.(md|markdown)$/i, '')).slice(0, 128);
}
