import { Injectable } from '@nestjs/common';
import type { Language } from '../../../search/languages.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { AnalysedChunk, Shareability } from './analysis/analysis.types.js';
import { placeOf } from './extraction/locations.rules.js';
import type { LocatedRange } from './extraction/locations.types.js';

/** Where a chunk is indexed. */
export interface ChunkShard {
  corpusId: string;
  shareability: Shareability;
  language: Language;
}

/** The document version that chunks belong to. */
export interface ChunkedVersion extends ChunkShard {
  readonly docId: string;
  readonly version: number;
  readonly title: string;
  readonly url: string | null;
  readonly day: number;
  /** Where in a file the text stands; null where it came as text. */
  readonly locations?: readonly LocatedRange[] | null;
}

export interface RetiredChunk {
  chunkId: string;
  docId: string;
  /** BLAKE3-256 of its text, 64 hexadecimal digits. */
  contentHash: string;
}

export interface RetiredChunks {
  shard: ChunkShard;
  chunkIds: string[];
  chunks: RetiredChunk[];
}

/** The passages. Other tenants' shared ones are visible here too, so every statement names the tenant. */
@Injectable()
export class ChunksStore {
  constructor(private readonly tenancy: Tenancy) {}

  async record(versions: readonly { version: ChunkedVersion; chunks: readonly AnalysedChunk[] }[]): Promise<void> {
    const rows = versions.flatMap(({ version, chunks }) =>
      chunks.map((chunk) => ({
        chunk_id: chunk.chunkId,
        corpus_id: version.corpusId,
        doc_id: version.docId,
        version: version.version,
        ordinal: chunk.ordinal,
        start_offset: chunk.start,
        end_offset: chunk.end,
        heading_path: chunk.headingPath,
        title: version.title,
        url: version.url,
        content: chunk.content,
        content_hash: chunk.contentHash,
        shareability: version.shareability,
        language: version.language,
        day: version.day,
        location: placeOf(version.locations ?? [], chunk.start, chunk.end) ?? null,
      })),
    );
    await this.tenancy.query(
      `insert into chunk (tenant_id, chunk_id, corpus_id, doc_id, version, ordinal, start_offset, end_offset, heading_path, title, url, content,
         content_hash, shareability, language, day, location)
       select $1, chunk_id, corpus_id, doc_id, version, ordinal, start_offset, end_offset, heading_path, title, url, content,
         decode(content_hash, 'hex'), shareability, language, day, location
       from json_to_recordset($2::json) as c(chunk_id text, corpus_id text, doc_id text, version int, ordinal int, start_offset int, end_offset int,
         heading_path text[], title text, url text, content text, content_hash text, shareability text, language text, day int, location jsonb)`,
      [this.tenancy.tenant, JSON.stringify(rows)],
    );
  }

  /** Retires the chunks of documents; answers which, by shard. */
  async retire(documents: readonly { corpusId: string; docId: string }[]): Promise<RetiredChunks[]> {
    if (documents.length === 0) return [];
    const rows = await this.tenancy.query<{
      corpus_id: string;
      shareability: Shareability;
      language: Language;
      chunk_ids: string[];
      doc_ids: string[];
      hashes: string[];
    }>(
      `with retired as (
         update chunk c set retired_at = now()
         from json_to_recordset($2::json) as d("corpusId" text, "docId" text)
         where c.tenant_id = $1 and c.corpus_id = d."corpusId" and c.doc_id = d."docId" and c.retired_at is null
         returning c.chunk_id, c.corpus_id, c.doc_id, c.content_hash, c.shareability, c.language
       )
       select corpus_id, shareability, language, array_agg(chunk_id order by chunk_id) as chunk_ids,
         array_agg(doc_id order by chunk_id) as doc_ids, array_agg(encode(content_hash, 'hex') order by chunk_id) as hashes
       from retired
       group by corpus_id, shareability, language order by corpus_id collate "C", shareability`,
      [this.tenancy.tenant, JSON.stringify(documents.map(({ corpusId, docId }) => ({ corpusId, docId })))],
    );
    return rows.map((row) => ({
      shard: { corpusId: row.corpus_id, shareability: row.shareability, language: row.language },
      chunkIds: row.chunk_ids,
      chunks: row.chunk_ids.map((chunkId, index) => ({
        chunkId,
        docId: row.doc_ids[index]!,
        contentHash: row.hashes[index]!,
      })),
    }));
  }
}
