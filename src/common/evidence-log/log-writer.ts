import type { Query } from '../tenancy/cross-tenant.js';
import type { RecordType } from '../../evidence/log-entry.js';
import { SELECT_TILES } from './log-reader.js';
import { emptyRoot } from '../../evidence/merkle.js';
import { frontierTiles, type Tile, TileSet } from '../../evidence/tiles.js';

export interface LogHead {
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
  /** False when there is no checkpoint yet, or the key that signed it has been rotated out. */
  readonly isSigned: boolean;
}
export interface PendingRecord {
  readonly pendingId: string;
  readonly recordType: RecordType;
  readonly digest: Uint8Array;
  /** Whether the record has a leaf already. */
  readonly logged: boolean;
}

/** Any constant: the same in every process. */
const LOG_LOCK = 7_389_214_656;

/** The rows of the log, written within one transaction of the operator role. */
export class LogWriter {
  constructor(private readonly query: Query) {}

  /** Holds the log until the transaction ends. @returns false when another process has it and `wait` is false */
  async lock(wait: boolean): Promise<boolean> {
    if (wait) {
      await this.query('select pg_advisory_xact_lock($1)', [LOG_LOCK]);
      return true;
    }
    const [row] = await this.query<{ held: boolean }>('select pg_try_advisory_xact_lock($1) as held', [LOG_LOCK]);
    return row?.held === true;
  }

  /** The head, or that of an empty log of the given origin. */
  async readHead(origin: string): Promise<LogHead> {
    const [row] = await this.query<{ origin: string; size: string; root: Buffer; signed: boolean }>(
      `select origin, size, root, not_after is null as signed from log_head join signing_key using (kid)`,
    );
    if (row === undefined) return { origin, size: 0, root: emptyRoot(), isSigned: false };
    return { origin: row.origin, size: Number(row.size), root: row.root, isSigned: row.signed };
  }

  async readPending(limit: number): Promise<PendingRecord[]> {
    const rows = await this.query<{
      pending_id: string;
      record_type: RecordType;
      record_digest: Buffer;
      logged: boolean;
    }>(
      `select pending_id, record_type, record_digest,
         exists (select from log_leaf l where l.record_digest = p.record_digest) as logged
       from log_pending p order by pending_id limit $1`,
      [limit],
    );
    return rows.map((row) => ({
      pendingId: row.pending_id,
      recordType: row.record_type,
      digest: row.record_digest,
      logged: row.logged,
    }));
  }

  async readFrontier(size: number): Promise<TileSet> {
    const addresses = frontierTiles(size);
    const rows = await this.query<{ level: number; tile_index: string; hashes: Buffer }>(SELECT_TILES, [
      addresses.map((address) => address.level),
      addresses.map((address) => address.index),
    ]);
    return new TileSet(rows.map((row) => ({ level: row.level, index: Number(row.tile_index), hashes: row.hashes })));
  }

  /** Gives the fresh records the leaves from `size` on, writes the tiles that grew and deletes what was pending. */
  async extend(
    size: number,
    pending: readonly PendingRecord[],
    fresh: readonly PendingRecord[],
    grown: readonly Tile[],
  ): Promise<void> {
    await this.query(EXTEND, [
      pending.map((record) => record.pendingId),
      size,
      fresh.map((record) => record.recordType),
      fresh.map((record) => Buffer.from(record.digest)),
      grown.map((tile) => tile.level),
      grown.map((tile) => tile.index),
      grown.map((tile) => Buffer.from(tile.hashes)),
    ]);
  }

  async publish(head: Omit<LogHead, 'isSigned'> & { kid: string; checkpoint: string }): Promise<void> {
    await this.query(
      `insert into log_head (origin, size, root, kid, checkpoint) values ($1, $2, $3, $4, $5)
       on conflict (only_one) do update
         set size = excluded.size, root = excluded.root, kid = excluded.kid, checkpoint = excluded.checkpoint, signed_at = now()`,
      [head.origin, head.size, Buffer.from(head.root), head.kid, head.checkpoint],
    );
  }
}

const EXTEND = `
  with done as (
    delete from log_pending where pending_id = any($1::bigint[])
  ), tiles as (
    insert into log_tile (level, tile_index, hashes) select * from unnest($5::smallint[], $6::bigint[], $7::bytea[])
    on conflict (level, tile_index) do update set hashes = excluded.hashes
  )
  insert into log_leaf (leaf_index, record_type, record_digest)
  select $2::bigint + n - 1, record_type, digest
  from unnest($3::text[], $4::bytea[]) with ordinality r (record_type, digest, n)
`;
