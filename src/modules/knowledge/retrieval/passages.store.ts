import { Injectable } from '@nestjs/common';
import { GroupedReads } from '../../../common/tenancy/grouped-reads.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { PassagePlace } from '../ingest/extraction/locations.types.js';

/** A passage's address: its owner and its id. */
export interface PassageAddress {
  ownerTenantId: string;
  chunkId: string;
}

export interface PassageRow {
  chunk_id: string;
  tenant_id: string;
  corpus_id: string;
  doc_id: string;
  version: number;
  title: string | null;
  url: string | null;
  content: string;
  content_hash: Buffer;
  location: PassagePlace | null;
}

/** Passages by id, and the state of the index after they were read. */
export interface FoundPassages {
  state: string;
  rows: ReadonlyMap<string, PassageRow>;
}

/** The texts of passages, as a reader sees them. */
@Injectable()
export class PassagesStore {
  private readonly reads = new GroupedReads<PassageAddress, FoundPassages>({
    keyOf: ({ chunkId }) => chunkId,
    read: (reader, wanted) => this.read(reader, wanted),
  });

  constructor(private readonly tenancy: Tenancy) {}

  /**
   * One round trip: the texts, and what every shard the reader sees is at by then. The rows may be those of other
   * searches too.
   */
  find(reader: string, wanted: readonly PassageAddress[]): Promise<FoundPassages> {
    return this.reads.find(reader, wanted);
  }

  private async read(reader: string, wanted: readonly PassageAddress[]): Promise<FoundPassages> {
    const rows = await this.tenancy.read<PassageRow & { state: string | null }>(
      'select * from svc_retrieve($1, $2::text[], $3::text[])',
      [reader, wanted.map(({ ownerTenantId }) => ownerTenantId), wanted.map(({ chunkId }) => chunkId)],
    );
    const passages = rows.filter((row) => row.state === null);
    return {
      state: rows.find((row) => row.state !== null)?.state ?? '',
      rows: new Map(passages.map((row) => [row.chunk_id, row])),
    };
  }
}
