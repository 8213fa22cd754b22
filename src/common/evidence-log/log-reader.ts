import type { Query } from '../tenancy/cross-tenant.js';
import { namedDigest } from '../../evidence/digest.js';
import { entryBundle, logEntry, type RecordType } from '../../evidence/log-entry.js';
import { consistencyRanges, inclusionRanges, type LeafRange } from '../../evidence/merkle.js';
import {
  hashOfRange,
  TILE_WIDTH,
  type TileAddress,
  type TileRequest,
  TileSet,
  tilesForRanges,
} from '../../evidence/tiles.js';

const HASH_BYTES = 32;

export interface PublishedHead {
  readonly size: number;
  /** The signed note, with the lines of witnesses that there are. */
  readonly checkpoint: string;
  /** Of the key that signed it. */
  readonly kid: string;
  /** The receipt that is leaf 0, where the log began with one. */
  readonly epoch: Uint8Array | null;
}

/** The log as it is published: everything here is public and never changes, the head apart. */
export class LogReader {
  constructor(private readonly query: Query) {}

  /** undefined until the first process that signs has started. */
  async findHead(): Promise<PublishedHead | undefined> {
    return (await this.findHeads())[0];
  }

  /**
   * The newest head with what witnesses have signed of it; after it, where that one has no cosignature, the head that
   * has, if it is of the last minute.
   */
  async findHeads(): Promise<PublishedHead[]> {
    const rows = await this.query<{ size: string; checkpoint: string; kid: string; epoch: Buffer | null }>(HEADS);
    return rows.map((row) => ({ ...row, size: Number(row.size) }));
  }

  /** The leaf of each record that has one, by the hexadecimal digits of its digest. */
  async findLeaves(digests: readonly Uint8Array[]): Promise<Map<string, number>> {
    const rows = await this.query<{ leaf_index: string; record_digest: Buffer }>(
      'select leaf_index, record_digest from log_leaf where record_digest = any($1::bytea[])',
      [digests.map((digest) => Buffer.from(digest))],
    );
    return new Map(rows.map((row) => [row.record_digest.toString('hex'), Number(row.leaf_index)]));
  }

  /** The audit paths of these leaves in the tree of that size, in the same order. */
  async proveInclusion(indices: readonly number[], size: number): Promise<Uint8Array[][]> {
    return this.hashesOf(indices.map((index) => inclusionRanges(index, size)));
  }

  /** The proof that the tree of `second` leaves extends the one of `first`. */
  async proveConsistency(first: number, second: number): Promise<Uint8Array[]> {
    return (await this.hashesOf([consistencyRanges(first, second)]))[0] ?? [];
  }

  /** The roots that the log had at these sizes. @throws Error where a tile that makes one is missing */
  async rootsAt(sizes: readonly number[]): Promise<Uint8Array[]> {
    return (await this.hashesOf(sizes.map((size) => [{ start: 0, end: size }]))).flat();
  }

  /** The bytes of a tile or an entry bundle of tlog-tiles; undefined when the log does not have that many. */
  async findTile({ level, index, width }: TileRequest): Promise<Uint8Array | undefined> {
    if (level === 'entries') return this.findEntries(index * TILE_WIDTH, width);
    const hashes = (await this.findTiles([{ level, index }])).find({ level, index })?.subarray(0, width * HASH_BYTES);
    return hashes?.length === width * HASH_BYTES ? hashes : undefined;
  }

  private async findEntries(start: number, width: number): Promise<Uint8Array | undefined> {
    const rows = await this.query<{ record_type: RecordType; record_digest: Buffer }>(
      'select record_type, record_digest from log_leaf where leaf_index >= $1 and leaf_index < $2 order by leaf_index',
      [start, start + width],
    );
    if (rows.length !== width) return undefined;
    return entryBundle(rows.map((row) => logEntry(row.record_type, namedDigest('blake3', row.record_digest))));
  }

  private async hashesOf(paths: readonly LeafRange[][]): Promise<Uint8Array[][]> {
    const tiles = await this.findTiles(tilesForRanges(paths.flat()));
    return paths.map((ranges) => ranges.map((range) => hashOfRange(range, tiles)));
  }

  /** Those of the tiles that there are. */
  async findTiles(addresses: readonly TileAddress[]): Promise<TileSet> {
    const rows = await this.query<{ level: number; tile_index: string; hashes: Buffer }>(SELECT_TILES, [
      addresses.map((address) => address.level),
      addresses.map((address) => address.index),
    ]);
    return new TileSet(rows.map((row) => ({ level: row.level, index: Number(row.tile_index), hashes: row.hashes })));
  }
}

const HEADS = `
  select h.size, h.checkpoint || coalesce(c.cosignatures, '') as checkpoint, h.kid, e.record as epoch
  from log_head h left join log_cosigned_head c on (c.origin, c.size, c.root) = (h.origin, h.size, h.root)
    left join log_epoch e on e.origin = h.origin
  union all
  select c.size, c.checkpoint || c.cosignatures, c.kid, e.record
  from log_head h join log_cosigned_head c on c.origin = h.origin and c.size < h.size
    left join log_epoch e on e.origin = h.origin
  where c.cosigned_at > now() - interval '1 minute'
  order by size desc
`;

export const SELECT_TILES = `
  select level, tile_index, hashes from log_tile
  where (level, tile_index) in (select * from unnest($1::smallint[], $2::bigint[]))
`;
