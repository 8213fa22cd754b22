import { encodeCanonical } from './cbor.js';
import { type Digest, namedDigest } from './digest.js';
import { leafLeadsTo, type LeafPlace } from './leaf-tree.js';
import { inclusionRanges, leafHash } from './merkle.js';
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
export type PassagePlace = LeafPlace & { readonly size: number };

/** Whether the path of a place leads from the passage to the root. */
export const leadsToRoot = (passage: PassageLeaf, place: PassagePlace, root: Digest): boolean =>
  leafLeadsTo(root, leafOf(passage), place, place.size);

/** The chunk id in it is what keeps a sibling's hash in a path from telling a guess of its text. */
const leafOf = ({ chunkId, contentHash, start, end }: PassageLeaf): Uint8Array =>
  leafHash(encodeCanonical([chunkId, contentHash, start, end]));
