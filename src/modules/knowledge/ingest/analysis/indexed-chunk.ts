import type { ChunkInput } from '../../../../search/segment.js';

/** A chunk with what its version says of it. */
interface TitledChunk {
  readonly chunkId: string;
  readonly content: string;
  readonly headingPath: readonly string[];
  readonly title: string;
  /** The version's UTC day, in days since 1970-01-01. */
  readonly day: number;
}

/** A chunk as it goes into a segment. Headings above it that its text does not show are found with its title. */
export function indexedChunk({ chunkId, content, headingPath, title, day }: TitledChunk): ChunkInput {
  const above = headingPath.filter((heading) => heading !== title && !content.includes(heading));
  return { chunkId, text: content, title: [title, ...above].join('\n'), day };
}
