import { encodeCanonical } from './cbor.js';
import { type Digest, digestBytes, namedDigest } from './digest.js';
import { inclusionRanges, leafHash, verifyInclusion } from './merkle.js';
import { appendLeaves, hashOfRange, TileSet } from './tiles.js';

/** A passage as the receipt of its ingest has it. docs/formats/receipts.md, "Passages". */
export interface PassageLeaf {
  readonly chunkId: string;
  /** BLAKE3 of its text. */
  readonly contentHash: Digest;
  /** Its span in the document's text, in UTF-16 code units; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
}

/** The Merkle tree (RFC 6962 section 2.1) over the passages of one version of a document, in their order. */
export class PassageTree {
  private readonly hashes = new TileSet();
  private readonly size: number;

  constructor(passages: readonly PassageLeaf[]) {
    this.size = passages.length;
    appendLeaves(0, passages.map(leafOf), this.hashes);
  }

  get root(): Digest {
    return namedDigest('sha256', hashOfRange({ start: 0, end: this.size }, this.hashes));
  }

  /** The audit path of a passage (RFC 6962 section 2.1.1), from the leaf upwards. */
  pathOf(index: number): Digest[] {
    return inclusionRanges(index, this.size).map((range) => namedDigest('sha256', hashOfRange(range, this.hashes)));
  }
}

/** A passage's place in a tree of `size` passages. */
export interface PassagePlace {
  readonly index: number;
  readonly size: number;
  readonly path: readonly Digest[];
}

export function leadsToRoot(passage: PassageLeaf, { index, size, path }: PassagePlace, root: Digest): boolean {
  const hashes = path.map((digest) => digestBytes('sha256', digest));
  return verifyInclusion(leafOf(passage), index, size, hashes, digestBytes('sha256', root));
}

/** The chunk id in it is what keeps a sibling's hash in a path from telling a guess of its text. */
const leafOf = ({ chunkId, contentHash, start, end }: PassageLeaf): Uint8Array =>
  leafHash(encodeCanonical([chunkId, contentHash, start, end]));
