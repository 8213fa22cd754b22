/** Who looks. */
export interface VectorReader {
  tenantId: string;
  /** Whose private items are seen in addition to the public ones. */
  principal: string;
  /** Everybody's. */
  seesAll: boolean;
  /** Those under reserved prefixes too. */
  withReserved: boolean;
}

export interface ListedVector {
  itemId: string;
  visibility: number;
  owner: string;
  /** None for an item that is not to be found any more. */
  vector: Float32Array | null;
}

/** An item near to a text in meaning. */
export interface NearPart {
  itemId: string;
  /** Of the best score by words: the weight of meaning for the nearest, 0 for the least near. */
  part: number;
}

export interface NearItem {
  itemId: string;
  /** Cosine, -1 to 1. */
  similarity: number;
}
