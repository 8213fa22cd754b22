import { sentenceEndAfter, skipWhiteSpace, wordStartBefore } from './boundaries.js';
import {
  MAX_CHUNK_TOKENS,
  MIN_CHUNK_TOKENS,
  OVERLAP_TOKENS,
  type Block,
  type ChunkSpan,
  type ExtractedText,
} from './chunking.types.js';
import { splitBlock } from './split-block.js';
import type { TokenMeter } from './token-meter.js';

/**
 * Packs blocks into chunks of MIN_CHUNK_TOKENS to MAX_CHUNK_TOKENS, in order. A block that fits into one chunk is never
 * divided; a heading goes with what follows it and starts a new chunk once the current one is large enough. Where prose
 * goes on within a section, a chunk repeats the last whole sentences before it, as far as OVERLAP_TOKENS and its own
 * free space allow. A chunk's heading path is what its blocks have in common.
 */
export function packBlocks({ text, tokens, blocks }: ExtractedText): ChunkSpan[] {
  const packer = new Packer(text, tokens);
  for (const block of blocks) for (const part of partsOf(text, tokens, block)) packer.add(part);
  const packs = packer.finish();
  return packs.map((pack, index) => spanOf(text, tokens, pack, packs[index - 1]));
}

function partsOf(text: string, tokens: TokenMeter, block: Block): Block[] {
  return tokens.count(block.start, block.end) <= MAX_CHUNK_TOKENS ? [block] : splitBlock(text, tokens, block);
}

class Packer {
  private readonly packs: Block[][] = [];
  private current: Block[] = [];

  constructor(
    private readonly text: string,
    private readonly tokens: TokenMeter,
  ) {}

  add(block: Block): void {
    const isFull = !this.hasRoomFor(block);
    if (isFull || (block.kind === 'heading' && this.size() >= MIN_CHUNK_TOKENS)) this.close();
    if (!this.hasRoomFor(block)) {
      // Only headings are left. The prose they belong to is divided rather than parted from them.
      const pieces = block.kind === 'prose' ? splitBlock(this.text, this.tokens, block, 2) : [];
      if (pieces.length > 1) {
        for (const piece of pieces) this.add(piece);
        return;
      }
      this.packs.push(this.current);
      this.current = [];
    }
    this.current.push(block);
  }

  finish(): Block[][] {
    if (this.current.length > 0) this.packs.push(this.current);
    return this.packs;
  }

  private hasRoomFor({ end }: Block): boolean {
    const [first] = this.current;
    return first === undefined || this.tokens.count(first.start, end) <= MAX_CHUNK_TOKENS;
  }

  private size(): number {
    const [first] = this.current;
    return first === undefined ? 0 : this.tokens.count(first.start, this.current.at(-1)!.end);
  }

  /** Ends the current chunk; headings at its end move on to what they are headings of. */
  private close(): void {
    let kept = this.current.length;
    while (kept > 0 && this.current[kept - 1]!.kind === 'heading') kept -= 1;
    if (kept > 0) this.packs.push(this.current.slice(0, kept));
    this.current = this.current.slice(kept);
  }
}

function spanOf(
  text: string,
  tokens: TokenMeter,
  pack: readonly Block[],
  before: readonly Block[] | undefined,
): ChunkSpan {
  const { end } = pack.at(-1)!;
  const own = pack[0]!.start;
  const start = overlapStart(text, tokens, pack, before?.at(-1));
  const fits = tokens.count(start, own) <= OVERLAP_TOKENS && tokens.count(start, end) <= MAX_CHUNK_TOKENS;
  const headingPath = pack.map((block) => block.headingPath).reduce(commonPath);
  return { start: fits ? start : own, end, headingPath };
}

/** Where the chunk would start to repeat the last whole sentences before it, or words where none fits. */
function overlapStart(text: string, tokens: TokenMeter, pack: readonly Block[], before: Block | undefined): number {
  const [{ start, kind, headingPath }, last] = [pack[0]!, pack.at(-1)!];
  const continues = before?.kind === 'prose' && kind === 'prose' && before.headingPath === headingPath;
  const most = Math.min(OVERLAP_TOKENS, MAX_CHUNK_TOKENS - tokens.count(start, last.end));
  if (!continues || most <= 0) return start;
  const from = Math.max(before.start + 1, tokens.retreat(start, most));
  const sentence = sentenceEndAfter(text, from, before.end);
  const word = sentence === -1 ? wordStartBefore(text, from, Math.min(before.end, (from + start) >> 1)) : sentence;
  return word === -1 ? start : skipWhiteSpace(text, word, start);
}

function commonPath(left: readonly string[], right: readonly string[]): readonly string[] {
  if (left === right) return left;
  const different = left.findIndex((heading, index) => heading !== right[index]);
  return different === -1 ? left : left.slice(0, different);
}
