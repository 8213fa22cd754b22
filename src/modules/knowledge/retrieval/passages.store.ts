import { Injectable } from '@nestjs/common';
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
  rows: Map<string, PassageRow>;
}

/** The texts of passages, as a reader sees them. */
@Injectable()
export class PassagesStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** One round trip: the texts, and what every shard the reader sees is at by then. */
  async find(reader: string, wanted: readonly PassageAddress[]): Promise<FoundPassages> {
    const rows = await this.tenancy.read<PassageRow & { state: string | null }>(
      'select * from svc_retrieve($1, $2::text[], $3::text[])',
      [reader, wanted.map(({ ownerTenantId }) => ownerTenantId), wanted.map(({ chunkId }) => chunkId)],
    );
    const found: FoundPassages = { state: '', rows: new Map() };
    for (const row of rows) {
      if (row.state !== null) found.state = row.state;
      else found.rows.set(row.chunk_id, row);
    }
    return found;
  }
}
