import type { Nodes, RootContent } from 'mdast';
import { fromMarkdown, type Options } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { MAX_CHUNK_TOKENS, type Block, type ExtractedText } from './chunking.types.js';
import { graphemeBoundaryBefore } from './boundaries.js';
import { sectionsOf } from './markdown-sections.js';
import { identityText, paragraphsOf, pushBlock } from './plain-text.js';
import { estimateTokens } from './token-estimate.js';

/** Longer headings are shortened in the heading path. */
const LONGEST_HEADING = 200;

const everything: Options = { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] };

/** Only the block structure: chunks are slices of the source, so inline constructs would be parsed (and attacked) for nothing. */
const blocksOnly: Options = {
  ...everything,
  extensions: [gfm(), { disable: { null: inlineConstructs() } }],
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
 * Reads Markdown (CommonMark with the GitHub extensions). Blocks are slices of the source, mark-up included, and leave out nothing but
 * white space. The document is parsed section by section; a section that is too large or too deeply nested is read as plain text.
 */
export function extractMarkdown(source: string): ExtractedText {
  const outline = new Outline();
  const blocks: Block[] = [];
  for (const section of sectionsOf(source)) {
    if (section.parsed) blocks.push(...new SectionReader(source, section.start, section.end, outline).read());
    else blocks.push(...paragraphsOf(source, section.start, section.end, outline.path));
  }
  return identityText(source, blocks);
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

/** Turns one parsed section into blocks that cover it from end to end. */
class SectionReader {
  /** Where offset 0 of the parser lies in the source: it skips a byte order mark. */
  private readonly origin: number;
  private readonly starts: { start: number; kind: Block['kind']; headingPath: readonly string[] }[] = [];

  constructor(
    private readonly source: string,
    private readonly start: number,
    private readonly end: number,
    private readonly outline: Outline,
  ) {
    this.origin = source.charCodeAt(start) === 0xfeff ? start + 1 : start;
  }

  read(): Block[] {
    const before = this.outline.path;
    for (const node of fromMarkdown(this.source.slice(this.origin, this.end), blocksOnly).children) this.place(node);
    const blocks: Block[] = [];
    const first = this.starts[0]?.start ?? this.end;
    pushBlock(blocks, this.source, { start: this.start, end: first, kind: 'prose', headingPath: before });
    this.starts.forEach((block, index) => {
      pushBlock(blocks, this.source, { ...block, end: this.starts[index + 1]?.start ?? this.end });
    });
    return blocks;
  }

  /** Lists and quotes that do not fit into one chunk are taken apart, everything else is one block. */
  private place(node: RootContent): void {
    const start = this.origin + (node.position?.start.offset ?? 0);
    const end = this.origin + (node.position?.end.offset ?? 0);
    if (node.type === 'heading') this.outline.enter(node.depth, this.headingText(start, end));
    if (isContainer(node) && estimateTokens(this.source, start, end) > MAX_CHUNK_TOKENS) {
      const children: RootContent[] = node.children;
      for (const child of children) this.place(child);
      return;
    }
    const kind = node.type === 'heading' ? 'heading' : node.type === 'paragraph' ? 'prose' : 'lines';
    const previous = this.starts.at(-1)?.start ?? this.start;
    this.starts.push({
      start: graphemeBoundaryBefore(this.source, previous, start),
      kind,
      headingPath: this.outline.path,
    });
  }

  private headingText(start: number, end: number): string {
    const text = textOf(fromMarkdown(this.source.slice(start, Math.min(end, start + 2 * LONGEST_HEADING)), everything));
    return text.trim().slice(0, LONGEST_HEADING).toWellFormed();
  }
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
