import type { NearChunk } from './vectors.store.js';

/** The vectors of one shard, laid end to end. */
export class VectorBlock {
  private constructor(
    readonly ownerTenantId: string,
    /** Every vector committed up to this generation of the shard is here. */
    readonly generation: number,
    readonly chunkIds: readonly string[],
    readonly vectors: readonly Float32Array[],
  ) {}

  /** What was known, and what was added since. */
  static of(
    known: VectorBlock | undefined,
    shard: { tenantId: string; generation: number },
    added: { chunkId: string; generation: number; vector: Float32Array }[],
  ): VectorBlock {
    const latest = added.reduce((greatest, { generation }) => Math.max(greatest, generation), shard.generation);
    const chunkIds = [...(known?.chunkIds ?? []), ...added.map(({ chunkId }) => chunkId)];
    const vectors = [...(known?.vectors ?? []), ...added.map(({ vector }) => vector)];
    return new VectorBlock(shard.tenantId, latest, chunkIds, vectors);
  }

  get byteSize(): number {
    return 200 + this.vectors.reduce((sum, vector) => sum + vector.byteLength + 150, 0);
  }
}

/**
 * All chunks by their cosine with the query, greatest first, equal ones by id. Vectors of another dimension are passed
 * over.
 */
export function nearest(blocks: readonly VectorBlock[], query: Float32Array): NearChunk[] {
  const near: NearChunk[] = [];
  for (const { ownerTenantId, chunkIds, vectors } of blocks) {
    vectors.forEach((vector, i) => {
      if (vector.length !== query.length) return;
      near.push({ ownerTenantId, chunkId: chunkIds[i]!, similarity: dot(vector, query) });
    });
  }
  return near.sort((a, b) => b.similarity - a.similarity || (a.chunkId < b.chunkId ? -1 : 1));
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
