import { ADVISORY_LOCKS } from '../database/advisory-locks.js';
import type { Query } from '../tenancy/cross-tenant.js';
import type { RecordType } from '../../evidence/log-entry.js';
import { SELECT_TILES } from './log-reader.js';
import { frontierTiles, type Tile, TileSet } from '../../evidence/tiles.js';

export interface LogHead {
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
  /** Of the key that signed its checkpoint. */
  readonly kid: string;
}
/** A record that is to have a leaf. */
export interface LogRecord {
  readonly recordType: RecordType;
  readonly digest: Uint8Array;
}
export interface PendingRecord extends LogRecord {
  readonly pendingId: string;
  /** Whether the record has a leaf already. */
  readonly logged: boolean;
}

/** The rows of the log, written within one transaction of the operator role. */
export class LogWriter {
  constructor(private readonly query: Query) {}

  /** Holds the log until the transaction ends. @returns false when another process has it and `wait` is false */
  async lock(wait: boolean): Promise<boolean> {
    if (wait) {
      await this.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.log]);
      return true;
    }
    const [row] = await this.query<{ held: boolean }>('select pg_try_advisory_xact_lock($1) as held', [
      ADVISORY_LOCKS.log,
    ]);
    return row?.held === true;
  }

  /** undefined where there is no checkpoint yet. */
  async readHead(): Promise<LogHead | undefined> {
    const [row] = await this.query<{ origin: string; size: string; root: Buffer; kid: string }>(
      'select origin, size, root, kid from log_head',
    );
    return row && { ...row, size: Number(row.size) };
  }

  async readPending(limit: number): Promise<PendingRecord[]> {
    const rows = await this.query<{
      pending_id: string;
      record_type: RecordType;
      record_digest: Buffer;
      logged: boolean;
    }>(
      // A join by itself might read the whole log.
      `select pending_id, record_type, record_digest, l.leaf is not null as logged
       from (select pending_id, record_type, record_digest from log_pending order by pending_id limit $1) p
       left join lateral (select leaf_index as leaf from log_leaf where record_digest = p.record_digest limit 1) l on true
       order by pending_id`,
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
    fresh: readonly LogRecord[],
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

  async publish(head: LogHead & { kid: string; checkpoint: string }): Promise<void> {
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
