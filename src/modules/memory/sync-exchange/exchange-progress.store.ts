import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { Collection } from '../sync/sync.types.js';
import type { CollectionState, ExchangeName, Pass, Way } from './exchange.types.js';

/** How far a collection has come with a peer. */
export interface PartProgress {
  readonly basis: string;
  /** The target has all up to this position of the source; null: a full pass is due. */
  readonly position: number | null;
  /** The pass that is under way. */
  readonly pass: Pass | null;
  readonly passPosition: number | null;
  readonly cursor: string | null;
  /** Of a full pass: the tree of what was read up to the cursor. */
  readonly tree: string | null;
  /** Records that the target did not take. */
  readonly refused: number;
  readonly isAhead: boolean;
}

export const NO_PROGRESS = (basis: string): PartProgress => ({
  ...{ basis, position: null, pass: null, passPosition: null, cursor: null, tree: null, refused: 0, isAhead: false },
});

/** The last exchange with a peer in a direction. */
export interface ExchangeRow {
  readonly peer_id: string;
  readonly direction: Way;
  readonly entity_prefixes: string[] | null;
  readonly collections: Collection[] | null;
  readonly started_at: Date;
  readonly ended_at: Date | null;
  readonly state: CollectionState | 'running' | 'failed';
  readonly message: string | null;
  readonly taken: string;
  readonly refused: string;
  readonly receipt_id: string | null;
}

interface PartRow {
  collection: Collection;
  basis: string;
  position: string | null;
  pass: PartProgress['pass'];
  pass_position: string | null;
  cursor: string | null;
  tree: string | null;
  refused: string;
  is_ahead: boolean;
}

export interface ExchangeEnd {
  readonly state: CollectionState | 'failed';
  readonly message: string | null;
  readonly taken: number;
  readonly refused: number;
  readonly receiptId: string | null;
}

/** What is kept of exchanges, in the open unit of work or one of its own. */
@Injectable()
export class ExchangeProgressStore {
  constructor(private readonly tenancy: Tenancy) {}

  begin({ tenantId, peerId, way }: ExchangeName): Promise<ExchangeRow> {
    return this.tenancy.run(tenantId, async () => {
      const [row] = await this.tenancy.query<ExchangeRow>(BEGIN, [tenantId, peerId, way]);
      return row!;
    });
  }

  /**
   * Begins one that is due, unless another process did.
   * @returns whether this one did
   */
  claim({ tenantId, peerId, way }: ExchangeName, everySec: number): Promise<boolean> {
    return this.tenancy.run(tenantId, async () => {
      const rows = await this.tenancy.query(CLAIM, [tenantId, peerId, way, everySec]);
      return rows.length > 0;
    });
  }

  async keepReach(
    { tenantId, peerId, way }: ExchangeName,
    prefixes: readonly string[],
    collections: readonly string[],
  ) {
    await this.tenancy.run(tenantId, () =>
      this.tenancy.query(
        'update sync_exchange set entity_prefixes = $4, collections = $5 where tenant_id = $1 and peer_id = $2 and direction = $3',
        [tenantId, peerId, way, prefixes, collections],
      ),
    );
  }

  async end({ tenantId, peerId, way }: ExchangeName, end: ExchangeEnd): Promise<void> {
    const { state, message, taken, refused, receiptId } = end;
    await this.tenancy.run(tenantId, () =>
      this.tenancy.query(END, [tenantId, peerId, way, state, message, taken, refused, receiptId]),
    );
  }

  list(tenantId: string, peerId: string | undefined): Promise<ExchangeRow[]> {
    return this.tenancy.run(tenantId, () =>
      this.tenancy.query<ExchangeRow>(
        'select * from sync_exchange where tenant_id = $1 and ($2::text is null or peer_id = $2) order by peer_id, direction',
        [tenantId, peerId ?? null],
      ),
    );
  }

  parts({ tenantId, peerId, way }: ExchangeName): Promise<Map<Collection, PartProgress>> {
    return this.tenancy.run(tenantId, async () => {
      const rows = await this.tenancy.query<PartRow>(
        'select * from sync_exchange_part where tenant_id = $1 and peer_id = $2 and direction = $3',
        [tenantId, peerId, way],
      );
      return new Map(rows.map((row) => [row.collection, partOf(row)]));
    });
  }

  async save({ tenantId, peerId, way }: ExchangeName, collection: Collection, part: PartProgress): Promise<void> {
    const { basis, position, pass, passPosition, cursor, tree, refused, isAhead } = part;
    await this.tenancy.run(tenantId, () =>
      this.tenancy.query(SAVE, [
        ...[tenantId, peerId, way, collection, basis, position, pass, passPosition, cursor, refused, isAhead, tree],
      ]),
    );
  }
}

const numberOf = (text: string | null): number | null => (text === null ? null : Number(text));

const partOf = (row: PartRow): PartProgress => ({
  ...{ basis: row.basis, position: numberOf(row.position), pass: row.pass, passPosition: numberOf(row.pass_position) },
  ...{ cursor: row.cursor, tree: row.tree, refused: Number(row.refused), isAhead: row.is_ahead },
});

const BEGIN = `
  insert into sync_exchange as e (tenant_id, peer_id, direction) values ($1, $2, $3)
  on conflict (tenant_id, peer_id, direction) do update
    set started_at = now(), ended_at = null, state = 'running', message = null, taken = 0, refused = 0, receipt_id = null
  returning e.*`;

const CLAIM = `
  insert into sync_exchange as e (tenant_id, peer_id, direction) values ($1, $2, $3)
  on conflict (tenant_id, peer_id, direction) do update
    set started_at = now(), ended_at = null, state = 'running', message = null, taken = 0, refused = 0, receipt_id = null
    where e.started_at <= now() - make_interval(secs => $4)
  returning e.peer_id`;

const END = `
  update sync_exchange set ended_at = now(), state = $4, message = $5, taken = $6, refused = $7, receipt_id = $8
  where tenant_id = $1 and peer_id = $2 and direction = $3`;

const SAVE = `
  insert into sync_exchange_part
    (tenant_id, peer_id, direction, collection, basis, position, pass, pass_position, cursor, refused, is_ahead, tree)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
  on conflict (tenant_id, peer_id, direction, collection) do update set
    basis = excluded.basis, position = excluded.position, pass = excluded.pass, pass_position = excluded.pass_position,
    cursor = excluded.cursor, refused = excluded.refused, is_ahead = excluded.is_ahead, tree = excluded.tree, updated_at = now()`;
