import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { literalOf } from './memory-embedding.store.js';
import type { ListedVector, NearItem, VectorReader } from './memory-vectors.types.js';

/** Vectors read at once. */
const PAGE = 2048;

export interface VectorPage {
  rows: (ListedVector & { place: number })[];
  /** How often rows were removed; another number than the known one: these are the first of all rows. */
  removals: number;
  hasMore: boolean;
}

interface Row {
  place: string;
  item_id: string;
  visibility: number;
  owner: string;
  vector: Buffer | null;
  removals: string | null;
}

/** What a search by meaning reads, each in one round trip as a tenant. */
@Injectable()
export class MemoryVectorsStore {
  private pgvector: Promise<boolean> | undefined;

  constructor(private readonly tenancy: Tenancy) {}

  /** Whether the database compares vectors itself. */
  hasPgvector(): Promise<boolean> {
    this.pgvector ??= this.tenancy
      .call<object>(
        `select from pg_attribute where attrelid = 'memory_vector'::regclass and attname = 'embedding' and not attisdropped`,
      )
      .then((rows) => rows.length > 0);
    this.pgvector.catch(() => (this.pgvector = undefined));
    return this.pgvector;
  }

  async findAdded(
    tenantId: string,
    of: { spaceId: number; kind: string },
    known: { place: number; removals: number },
  ): Promise<VectorPage> {
    const rows = await this.tenancy.read<Row>('select * from svc_memory_vectors($1, $2, $3, $4, $5, $6)', [
      tenantId,
      of.spaceId,
      of.kind,
      known.place,
      known.removals,
      PAGE,
    ]);
    const added = rows.filter(({ item_id }) => item_id !== null);
    const state = rows.find(({ removals }) => removals !== null);
    return { rows: added.map(listed), removals: Number(state!.removals), hasMore: added.length === PAGE };
  }

  findNearest(
    { tenantId, principal, seesAll, withReserved }: VectorReader,
    of: { spaceId: number; kind: string },
    vector: Float32Array,
    limit: number,
  ): Promise<NearItem[]> {
    return this.tenancy.read<NearItem>(
      'select item_id as "itemId", similarity from svc_nearest_memory($1, $2, $3, $4, $5, $6, $7, $8, $9)',
      [tenantId, of.spaceId, of.kind, literalOf(vector), vector.length, principal, seesAll, withReserved, limit],
    );
  }
}

const listed = ({ place, item_id, visibility, owner, vector }: Row): ListedVector & { place: number } => ({
  place: Number(place),
  itemId: item_id,
  visibility,
  owner,
  // Copied: the driver's buffer need not be aligned to four bytes.
  vector: vector && new Float32Array(Uint8Array.from(vector).buffer),
});
