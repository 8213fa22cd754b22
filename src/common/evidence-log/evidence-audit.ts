import { Injectable } from '@nestjs/common';
import { CrossTenant, type Query } from '../tenancy/cross-tenant.js';
import { parseCheckpoint, verifyCheckpoint } from '../../evidence/checkpoint.js';
import { sha256 } from '../../evidence/sha256.js';
import { EpochAudit } from './epoch-audit.js';
import { EvidenceLook } from './evidence-look.js';
import type { SubjectCheck } from './evidence-look.types.js';
import { KnownKeys } from './known-keys.js';
import { logLeafHash, type RecordType } from '../../evidence/log-entry.js';
import { appendLeaves, hashOfRange, type Tile, TileSet } from '../../evidence/tiles.js';

export interface Audit {
  readonly ok: boolean;
  /** How many records, or leaves, were looked at. */
  readonly examined: number;
  /** The first errors found, each a sentence. */
  readonly faults: readonly string[];
}

const PAGE = 1000;
const MAX_FAULTS = 100;

/** Checks the evidence of the whole database against itself: for `svc doctor`, readiness and the tests. */
@Injectable()
export class EvidenceAudit {
  constructor(
    private readonly crossTenant: CrossTenant,
    private readonly knownKeys: KnownKeys,
  ) {}

  /**
   * Every record of every tenant: signature, id, body hash, columns equal to the signed payload, no gap and no fork in
   * any chain, the head at its end, a leaf (or a place in the queue for one) for each, retrieval receipts included, and
   * a record for each leaf.
   * @param checks what else the receipts are held against
   */
  verifyChain(checks: readonly SubjectCheck[] = []): Promise<Audit> {
    return this.onSnapshot(async (query, faults) => {
      const look = await EvidenceLook.begin(query, { checks, keys: this.knownKeys });
      while (!look.isOver) for (const fault of await look.step(query, PAGE)) faults.add(fault.detail);
      return look.at.records;
    });
  }

  /**
   * The log: leaves without a gap, tiles and root recomputed from them, the checkpoint signed by a known key, and the
   * epochs before it among its leaves.
   */
  verifyLog(): Promise<Audit> {
    return this.onSnapshot(async (query, faults) => {
      const tiles = new TileSet();
      const epochs = await EpochAudit.open(query);
      const grown = new Map<string, Tile>();
      let size = 0;
      for (;;) {
        const leaves = await query<{ leaf_index: string; record_type: RecordType; record_digest: Buffer }>(
          LEAVES_FROM,
          [size, PAGE],
        );
        leaves.forEach((leaf, n) => {
          if (Number(leaf.leaf_index) !== size + n) faults.add(`the log has no leaf ${String(size + n)}`);
        });
        const hashes = leaves.map((leaf) => logLeafHash(leaf.record_type, leaf.record_digest));
        epochs.add(size, hashes);
        for (const tile of appendLeaves(size, hashes, tiles))
          grown.set(`${String(tile.level)}/${String(tile.index)}`, tile);
        size += leaves.length;
        if (leaves.length < PAGE) break;
      }
      await compareTiles(query, grown, faults);
      for (const fault of await epochs.findFaults(query, await this.knownKeys.read(query))) faults.add(fault);
      await this.verifyHead(query, size, hashOfRange({ start: 0, end: size }, tiles), faults);
      return size;
    });
  }

  private async verifyHead(query: Query, size: number, root: Uint8Array, faults: Faults): Promise<void> {
    const [head] = await query<{ size: string; checkpoint: string }>('select size, checkpoint from log_head');
    if (head === undefined) {
      if (size > 0) faults.add('the log has leaves and no checkpoint');
      return;
    }
    const checkpoint = parseCheckpoint(head.checkpoint);
    if (Number(head.size) !== size || checkpoint.size !== size) {
      faults.add(`the log has ${String(size)} leaves, its checkpoint says ${String(checkpoint.size)}`);
    }
    if (Buffer.compare(checkpoint.root, root) !== 0) faults.add("the checkpoint's root is not that of the leaves");
    const keys = await this.knownKeys.read(query);
    if (!keys.some(({ key, terms }) => terms.has('log') && verifyCheckpoint(checkpoint, key)))
      faults.add('no known key signed the checkpoint');
  }

  /** One snapshot for the whole check: writers go on meanwhile. */
  private async onSnapshot(check: (query: Query, faults: Faults) => Promise<number>): Promise<Audit> {
    const faults = new Faults();
    const examined = await this.crossTenant.run('audit evidence', async (query) => {
      await query('set transaction isolation level repeatable read read only');
      return check(query, faults);
    });
    return { ok: faults.found.length === 0, examined, faults: faults.found };
  }
}

class Faults {
  readonly found: string[] = [];
  add(fault: string): void {
    if (this.found.length < MAX_FAULTS) this.found.push(fault);
  }
}

async function compareTiles(query: Query, computed: Map<string, Tile>, faults: Faults): Promise<void> {
  const stored = await query<{ level: number; tile_index: string; digest: Buffer }>(
    'select level, tile_index, sha256(hashes) as digest from log_tile',
  );
  if (stored.length !== computed.size)
    faults.add(`the log has ${String(stored.length)} tiles, its leaves make ${String(computed.size)}`);
  for (const row of stored) {
    const tile = computed.get(`${String(row.level)}/${row.tile_index}`);
    if (tile === undefined || Buffer.compare(sha256(tile.hashes), row.digest) !== 0) {
      faults.add(`tile ${String(row.level)}/${row.tile_index} is not what the leaves make`);
    }
  }
}

const LEAVES_FROM = `
  select leaf_index, record_type, record_digest from log_leaf where leaf_index >= $1 order by leaf_index limit $2
`;
