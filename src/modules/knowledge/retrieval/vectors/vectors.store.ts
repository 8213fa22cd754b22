import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';

/** A passage that has no vector yet. */
export interface UnembeddedChunk {
  chunkId: string;
  shardId: string;
  title: string | null;
  content: string;
}

/** A version of a document. */
export interface VersionKey {
  corpusId: string;
  docId: string;
  version: number;
}

export interface NearChunk {
  ownerTenantId: string;
  chunkId: string;
  /** Cosine, -1 to 1. */
  similarity: number;
}

const IN_VERSIONS = `(c.corpus_id, c.doc_id, c.version) in (
  select w."corpusId", w."docId", w.version from json_to_recordset($2::json) as w("corpusId" text, "docId" text, version int))`;

/** Rows of vectors. Those of withdrawn chunks are deleted with the withdrawal. */
@Injectable()
export class VectorsStore {
  private pgvector: Promise<boolean> | undefined;
  private readonly indexed = new Set<number>();

  constructor(private readonly tenancy: Tenancy) {}

  /** Whether the database searches vectors itself. */
  hasPgvector(): Promise<boolean> {
    this.pgvector ??= this.tenancy
      .call<object>(
        `select from pg_attribute where attrelid = 'chunk_vector'::regclass and attname = 'embedding' and not attisdropped`,
      )
      .then((rows) => rows.length > 0);
    this.pgvector.catch(() => (this.pgvector = undefined));
    return this.pgvector;
  }

  /** Passages of a shard, or of versions, that are to have a vector and have none of the model. */
  async findUnembedded(
    of: { shardId: string } | { versions: readonly VersionKey[] },
    model: string,
    limit: number,
  ): Promise<UnembeddedChunk[]> {
    const [wanted, value] =
      'shardId' in of ? ['s.shard_id = $2', of.shardId] : [IN_VERSIONS, JSON.stringify(of.versions)];
    const rows = await this.tenancy.query<{
      chunk_id: string;
      shard_id: string;
      title: string | null;
      content: string;
    }>(
      `select c.chunk_id, s.shard_id, c.title, c.content from index_shard s
       join chunk c on c.tenant_id = s.tenant_id and c.corpus_id = s.corpus_id and c.shareability = s.shareability and c.language = s.language
       join document_version d on d.tenant_id = c.tenant_id and d.corpus_id = c.corpus_id and d.doc_id = c.doc_id and d.version = c.version
       where s.tenant_id = $1 and ${wanted} and c.retired_at is null and d.semantic_profile <> 'lexical'
         and not exists (select from chunk_vector v where v.tenant_id = $1 and v.chunk_id = c.chunk_id and v.model = $3)
       order by c.chunk_id limit $4`,
      [this.tenancy.tenant, value, model, limit],
    );
    return rows.map(({ chunk_id, shard_id, title, content }) => ({
      chunkId: chunk_id,
      shardId: shard_id,
      title,
      content,
    }));
  }

  /** How many passages versions have, and how many of them a vector of the model. */
  async count(
    versions: readonly VersionKey[],
    model: string,
  ): Promise<{ passages: number; vectors: number; dimension: number }> {
    const [row] = await this.tenancy.query<{ passages: number; vectors: number; dimension: number }>(
      `select count(*)::int as passages, count(v.chunk_id)::int as vectors, coalesce(max(octet_length(v.vector)) / 4, 0) as dimension
       from chunk c left join chunk_vector v on v.tenant_id = c.tenant_id and v.chunk_id = c.chunk_id and v.model = $3
       where c.tenant_id = $1 and ${IN_VERSIONS} and c.retired_at is null`,
      [this.tenancy.tenant, JSON.stringify(versions), model],
    );
    return row!;
  }

  /** Under the shard's lock; a chunk that was withdrawn while it was being embedded is left out. */
  async record(
    shard: { shardId: string; generation: number },
    model: string,
    vectors: { chunkId: string; vector: Float32Array }[],
  ): Promise<void> {
    const asPgvector = await this.hasPgvector();
    const columns = asPgvector ? ', embedding' : '';
    const values = asPgvector ? ', r.embedding::vector' : '';
    await this.tenancy.query(
      `insert into chunk_vector (tenant_id, chunk_id, model, shard_id, generation, vector${columns})
       select $1, r.chunk_id, $2, $3, $4, r.vector${values} from unnest($5::text[], $6::bytea[], $7::text[]) r(chunk_id, vector, embedding)
       join chunk c on c.tenant_id = $1 and c.chunk_id = r.chunk_id and c.retired_at is null
       on conflict do nothing`,
      [
        this.tenancy.tenant,
        model,
        shard.shardId,
        shard.generation,
        vectors.map(({ chunkId }) => chunkId),
        vectors.map(({ vector }) => Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)),
        vectors.map(({ vector }) => (asPgvector ? literalOf(vector) : '')),
      ],
    );
  }

  /** Makes the index for vectors of this many dimensions, where the database searches them. */
  async ensureIndex(dimensions: number): Promise<void> {
    if (this.indexed.has(dimensions) || !(await this.hasPgvector())) return;
    await this.tenancy.write('select svc_index_vectors($1)', [dimensions]);
    this.indexed.add(dimensions);
  }

  async withdraw(chunkIds: readonly string[]): Promise<void> {
    await this.tenancy.query('delete from chunk_vector where tenant_id = $1 and chunk_id = any($2::text[])', [
      this.tenancy.tenant,
      chunkIds,
    ]);
  }

  /** Vectors of a shard that were committed after a generation. */
  async findOfShard(
    reader: string,
    shard: { tenantId: string; shardId: string },
    model: string,
    after: number,
  ): Promise<{ chunkId: string; generation: number; vector: Float32Array }[]> {
    const rows = await this.tenancy.read<{ chunk_id: string; generation: string; vector: Buffer }>(
      'select * from svc_shard_vectors($1, $2, $3, $4, $5)',
      [reader, shard.tenantId, shard.shardId, model, after],
    );
    return rows.map(({ chunk_id, generation, vector }) => ({
      chunkId: chunk_id,
      generation: Number(generation),
      // Copied: the driver's buffer need not be aligned to four bytes.
      vector: new Float32Array(Uint8Array.from(vector).buffer),
    }));
  }

  async findNearest(
    reader: string,
    shardIds: readonly string[],
    query: { model: string; vector: Float32Array },
    limit: number,
  ): Promise<NearChunk[]> {
    const rows = await this.tenancy.read<{ tenant_id: string; chunk_id: string; similarity: number }>(
      'select * from svc_nearest_vectors($1, $2::uuid[], $3, $4, $5, $6)',
      [reader, shardIds, query.model, literalOf(query.vector), query.vector.length, limit],
    );
    return rows.map((row) => ({ ownerTenantId: row.tenant_id, chunkId: row.chunk_id, similarity: row.similarity }));
  }
}

function literalOf(vector: Float32Array): string {
  return `[${vector.join(',')}]`;
}
