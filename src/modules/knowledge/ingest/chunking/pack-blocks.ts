import { sentenceEndAfter, skipWhiteSpace, wordStartBefore } from './boundaries.js';
import { MAX_CHUNK_TOKENS, MIN_CHUNK_TOKENS, OVERLAP_TOKENS, type Block, type ChunkSpan } from './chunking.types.js';
import { splitBlock } from './split-block.js';
import { advanceTokens, estimateTokens } from './token-estimate.js';

/** Code units looked back for an overlap: at most this many can cost OVERLAP_TOKENS in ordinary text. */
const OVERLAP_UNITS = 6 * OVERLAP_TOKENS;

interface Part {
  readonly block: Block;
  readonly tokens: number;
  /** What the white space between the part before and this one costs when both are in one chunk. */
  readonly gap: number;
}

/**
 * Packs blocks into chunks of MIN_CHUNK_TOKENS to MAX_CHUNK_TOKENS, in order. A block that fits into one chunk is never
 * divided; a heading goes with what follows it and starts a new chunk once the current one is large enough. Where prose
 * goes on within a section, a chunk repeats the last whole sentences before it, as far as OVERLAP_TOKENS and its own
 * free space allow. A chunk's heading path is what its blocks have in common.
 */
export function packBlocks(text: string, blocks: readonly Block[]): ChunkSpan[] {
  const packer = new Packer(text);
  for (const block of blocks) for (const part of partsOf(text, block)) packer.add(part);
  const packs = packer.finish();
  return packs.map((pack, index) => spanOf(text, pack, packs[index - 1]));
}

function partsOf(text: string, block: Block): Block[] {
  const tokens = estimateTokens(text, block.start, block.end);
  return tokens <= MAX_CHUNK_TOKENS ? [block] : splitBlock(text, block, tokens);
}

class Packer {
  private readonly packs: Part[][] = [];
  private current: Part[] = [];
  /** What the current chunk costs so far. */
  private tokens = 0;
  /** Where the last block that was added ends. */
  private end = 0;

  constructor(private readonly text: string) {}

  add(block: Block): void {
    const gap = estimateTokens(this.text, this.end, block.start);
    const part = { block, tokens: estimateTokens(this.text, block.start, block.end), gap };
    const isFull = !this.hasRoomFor(part);
    if (isFull || (block.kind === 'heading' && this.tokens >= MIN_CHUNK_TOKENS)) this.close();
    if (!this.hasRoomFor(part)) {
      // Only headings are left. The prose they belong to is divided rather than parted from them.
      const pieces = block.kind === 'prose' ? splitBlock(this.text, block, part.tokens, 2) : [];
      if (pieces.length > 1) {
        for (const piece of pieces) this.add(piece);
        return;
      }
      this.packs.push(this.current);
      this.continueWith([]);
    }
    this.tokens += part.tokens + (this.current.length > 0 ? part.gap : 0);
    this.current.push(part);
    this.end = block.end;
  }

  finish(): Part[][] {
    if (this.current.length > 0) this.packs.push(this.current);
    return this.packs;
  }

  private hasRoomFor(part: Part): boolean {
    return this.current.length === 0 || this.tokens + part.gap + part.tokens <= MAX_CHUNK_TOKENS;
  }

  /** Ends the current chunk; headings at its end move on to what they are headings of. */
  private close(): void {
    let kept = this.current.length;
    while (kept > 0 && isHeading(this.current[kept - 1]!)) kept -= 1;
    if (kept > 0) this.packs.push(this.current.slice(0, kept));
    this.continueWith(this.current.slice(kept));
  }

  private continueWith(parts: Part[]): void {
    this.current = parts;
    this.tokens = tokensOf(parts);
  }
}

function isHeading({ block }: Part): boolean {
  return block.kind === 'heading';
}

function tokensOf(parts: readonly Part[]): number {
  return parts.reduce((sum, part, index) => sum + part.tokens + (index > 0 ? part.gap : 0), 0);
}

function spanOf(text: string, pack: readonly Part[], before: readonly Part[] | undefined): ChunkSpan {
  const end = pack.at(-1)!.block.end;
  const headingPath = pack.map((part) => part.block.headingPath).reduce(commonPath);
  const maxOverlap = Math.min(OVERLAP_TOKENS, MAX_CHUNK_TOKENS - tokensOf(pack));
  return { start: overlapStart(text, pack[0]!.block, before?.at(-1)?.block, maxOverlap), end, headingPath };
}

/** Where the chunk that begins with `block` starts when it repeats up to `maxOverlap` tokens of the prose before it. */
function overlapStart(text: string, block: Block, before: Block | undefined, maxOverlap: number): number {
  const continues = before?.kind === 'prose' && block.kind === 'prose' && before.headingPath === block.headingPath;
  if (!continues || maxOverlap <= 0) return block.start;
  const from = Math.max(before.start + 1, block.start - OVERLAP_UNITS);
  const sentence = sentenceEndAfter(text, from, before.end);
  const word = sentence === -1 ? wordStartBefore(text, from, Math.min(before.end, from + OVERLAP_UNITS / 2)) : sentence;
  if (word === -1) return block.start;
  const start = skipWhiteSpace(text, word, block.start);
  return advanceTokens(text, start, block.start, maxOverlap) === block.start ? start : block.start;
}

function commonPath(left: readonly string[], right: readonly string[]): readonly string[] {
  if (left === right) return left;
  const different = left.findIndex((heading, index) => heading !== right[index]);
  return different === -1 ? left : left.slice(0, different);
}
