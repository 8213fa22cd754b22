import type { Nodes, RootContent } from 'mdast';
import { fromMarkdown, type Options } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { MAX_CHUNK_TOKENS, type Block, type ExtractedText } from './chunking.types.js';
import { graphemeBoundaryBefore } from './boundaries.js';
import { linesOf, PLAIN_HEADING, PLAIN_SETEXT_HEADING, PlainLines, type LineKind } from './markdown-lines.js';
import { sectionsOf, type MarkdownPart } from './markdown-sections.js';
import { identityText, paragraphsOf, pushBlock } from './plain-text.js';
import { TokenMeter } from './token-meter.js';

/** Longer headings are shortened in the heading path. */
const MAX_HEADING = 200;

/** Headings whose text may be another one with the extensions: parsing them without takes half as long. */
const NEEDS_EXTENSIONS = /[~^|@\r\n]|www\.|:\/\//i;

const everything: Options = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] };

/**
 * Only the block structure: chunks are slices of the source, so inline constructs would be parsed (and attacked) for
 * nothing. The extension with a transform looks for links in the text of the tree.
 */
const blocksOnly: Options = {
  extensions: [gfm(), { disable: { null: inlineConstructs() } }],
  mdastExtensions: gfmFromMarkdown().filter(({ transforms }) => transforms === undefined),
};

function inlineConstructs(): string[] {
  const links = [
    'autolink',
    'labelEnd',
    'labelStartImage',
    'labelStartLink',
    'wwwAutolink',
    'protocolAutolink',
    'emailAutolink',
  ];
  const notes = ['gfmFootnoteCall', 'gfmPotentialFootnoteCall', 'tasklistCheck', 'strikethrough'];
  return [
    'attention',
    'characterEscape',
    'characterReference',
    'codeText',
    'hardBreakEscape',
    'htmlText',
    ...links,
    ...notes,
  ];
}

/**
 * Reads Markdown (CommonMark with the GitHub extensions). Blocks are slices of the source, mark-up included, and leave
 * out nothing but white space. The document is parsed section by section. What is plain paragraphs, headings and code
 * fences is read without it, with the same result; a section that is too large or too deeply nested, or for which the
 * document has no effort left, is read as plain text.
 */
export function extractMarkdown(source: string): ExtractedText {
  const outline = new Outline();
  const tokens = new TokenMeter(source);
  const blocks: Block[] = [];
  for (const section of sectionsOf(source)) {
    const { start, end, parts } = section;
    if (parts === undefined) for (const block of paragraphsOf(source, start, end, outline.path)) blocks.push(block);
    else for (const block of new SectionReader({ source, tokens, outline }, start, end).read(parts)) blocks.push(block);
  }
  return identityText(source, blocks, tokens);
}

/** The headings that are open at a point of the document. */
class Outline {
  path: readonly string[] = [];
  private open: { depth: number; title: string }[] = [];

  enter(depth: number, title: string): void {
    this.open = [...this.open.filter((heading) => heading.depth < depth), { depth, title }];
    this.path = this.open.map((heading) => heading.title);
  }
}

/** Turns one section into blocks that cover it from end to end. */
class SectionReader {
  /** Where offset 0 of the parser lies in the source. */
  private origin = 0;
  private readonly starts: { start: number; kind: Block['kind']; headingPath: readonly string[] }[] = [];

  private readonly source: string;
  private readonly outline: Outline;

  constructor(
    private readonly document: { source: string; tokens: TokenMeter; outline: Outline },
    private readonly start: number,
    private readonly end: number,
  ) {
    ({ source: this.source, outline: this.outline } = document);
  }

  read(parts: readonly MarkdownPart[]): Block[] {
    const before = this.outline.path;
    for (const part of parts) {
      if (part.isPlain) this.placeLines(part);
      else this.placeParsed(part);
    }
    const blocks: Block[] = [];
    const first = this.starts[0]?.start ?? this.end;
    pushBlock(blocks, this.source, { start: this.start, end: first, kind: 'prose', headingPath: before });
    this.starts.forEach((block, index) => {
      pushBlock(blocks, this.source, { ...block, end: this.starts[index + 1]?.start ?? this.end });
    });
    return blocks;
  }

  private placeParsed({ start, end }: MarkdownPart): void {
    // The parser skips a byte order mark.
    this.origin = this.source.charCodeAt(start) === 0xfeff ? start + 1 : start;
    for (const node of fromMarkdown(this.source.slice(this.origin, end), blocksOnly).children) this.place(node);
  }

  private placeLines({ start, end }: MarkdownPart): void {
    const lines = new PlainLines();
    let before: LineKind = 'blank';
    for (const line of linesOf(this.source, start, end)) {
      const opensFence = !lines.inFence;
      const kind = lines.kindOf(line);
      const heading = kind === 'heading' ? PLAIN_HEADING.exec(line.head) : null;
      if (heading) this.outline.enter(heading[1]!.length, titleOf(heading[2]!));
      if (heading) this.begin(line.start, 'heading');
      else if (kind === 'fence' && opensFence) this.begin(line.start, 'lines');
      else if (kind === 'paragraph' && before !== 'paragraph') this.begin(line.start, 'prose');
      before = kind;
    }
  }

  /** Lists and quotes that do not fit into one chunk are taken apart, everything else is one block. */
  private place(node: RootContent): void {
    const start = this.origin + (node.position?.start.offset ?? 0);
    const end = this.origin + (node.position?.end.offset ?? 0);
    if (node.type === 'heading') this.outline.enter(node.depth, this.headingText(start, end));
    if (isContainer(node) && this.document.tokens.count(start, end) > MAX_CHUNK_TOKENS) {
      const children: RootContent[] = node.children;
      for (const child of children) this.place(child);
      return;
    }
    this.begin(start, node.type === 'heading' ? 'heading' : node.type === 'paragraph' ? 'prose' : 'lines');
  }

  private begin(start: number, kind: Block['kind']): void {
    const previous = this.starts.at(-1)?.start ?? this.start;
    this.starts.push({
      start: graphemeBoundaryBefore(this.source, previous, start),
      kind,
      headingPath: this.outline.path,
    });
  }

  private headingText(start: number, end: number): string {
    const source = this.source.slice(start, Math.min(end, start + 2 * MAX_HEADING));
    const plain = PLAIN_HEADING.exec(source)?.[2] ?? PLAIN_SETEXT_HEADING.exec(source)?.[1];
    return titleOf(plain ?? textOf(fromMarkdown(source, NEEDS_EXTENSIONS.test(source) ? everything : undefined)));
  }
}

function titleOf(text: string): string {
  return text.trim().slice(0, MAX_HEADING).toWellFormed();
}

type Container = Extract<RootContent, { type: 'list' | 'listItem' | 'blockquote' | 'footnoteDefinition' }>;

function isContainer(node: RootContent): node is Container {
  return ['list', 'listItem', 'blockquote', 'footnoteDefinition'].includes(node.type);
}

function textOf(node: Nodes): string {
  if ('value' in node) return node.value;
  if ('alt' in node && node.alt) return node.alt;
  return 'children' in node ? node.children.map(textOf).join('') : '';
}
