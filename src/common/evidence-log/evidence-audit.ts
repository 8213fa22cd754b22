import { Injectable } from '@nestjs/common';
import { CrossTenant, type Query } from '../tenancy/cross-tenant.js';
import { parseCheckpoint, verifyCheckpoint } from '../../evidence/checkpoint.js';
import { parseCose, verifyCose } from '../../evidence/cose.js';
import { blake3, namedDigest } from '../../evidence/digest.js';
import { sha256 } from '../../evidence/sha256.js';
import { type KnownKey, readKeys } from './key-ring.js';
import { logLeafHash, type RecordType } from '../../evidence/log-entry.js';
import { openReceipt, openRetrieval, type ReceiptPayload } from '../../evidence/receipt.js';
import { appendLeaves, hashOfRange, type Tile, TileSet } from '../../evidence/tiles.js';

export interface Audit {
  readonly ok: boolean;
  /** How many records, or leaves, were looked at. */
  readonly examined: number;
  /** The first errors found, each a sentence. */
  readonly faults: readonly string[];
}

const PAGE = 1000;
const MAX_FAULTS = 20;

interface ReceiptRow {
  tenant_id: string;
  receipt_id: string;
  stream: string;
  seq: string;
  prev_hash: Buffer | null;
  payload_hash: Buffer;
  kind: string;
  actor: string;
  subject: string;
  occurred_at: Date;
  cose: Buffer;
}
interface Position {
  tenantId: string;
  stream: string;
  seq: number;
  payloadHash: string | null;
}

/** Checks the evidence of the whole database against itself: for `svc doctor`, readiness and the tests. */
@Injectable()
export class EvidenceAudit {
  constructor(private readonly crossTenant: CrossTenant) {}

  /**
   * Every receipt of every tenant: signature, id, body hash, columns equal to the signed payload, no gap and no fork in
   * any stream, the head at its end, and a leaf (or a place in the queue for one) for each, retrieval receipts
   * included.
   */
  verifyChain(): Promise<Audit> {
    return this.onSnapshot(async (query, faults) => {
      const keys = new Map((await readKeys(query)).map((known) => [known.key.kid, known]));
      let last: Position = { tenantId: '', stream: '', seq: 0, payloadHash: null };
      let examined = 0;
      for (;;) {
        const rows = await query<ReceiptRow>(RECEIPTS_AFTER, [last.tenantId, last.stream, last.seq, PAGE]);
        for (const row of rows) last = checkRow(row, last, keys, faults);
        await expectLogged(
          query,
          rows.map((row) => blake3(row.cose)),
          faults,
        );
        examined += rows.length;
        if (rows.length < PAGE) break;
      }
      for (const head of await query<{ tenant_id: string; stream: string }>(WRONG_HEADS)) {
        faults.add(`stream ${head.stream} of tenant ${head.tenant_id} does not end where its head says`);
      }
      return examined + (await this.verifyRetrievals(query, faults));
    });
  }

  /** The log: leaves without a gap, tiles and root recomputed from them, the checkpoint signed by a known key. */
  verifyLog(): Promise<Audit> {
    return this.onSnapshot(async (query, faults) => {
      const tiles = new TileSet();
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
        for (const tile of appendLeaves(size, hashes, tiles))
          grown.set(`${String(tile.level)}/${String(tile.index)}`, tile);
        size += leaves.length;
        if (leaves.length < PAGE) break;
      }
      await compareTiles(query, grown, faults);
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
    const keys = await readKeys(query);
    if (!keys.some(({ key }) => verifyCheckpoint(checkpoint, key))) faults.add('no known key signed the checkpoint');
  }

  private async verifyRetrievals(query: Query, faults: Faults): Promise<number> {
    let after: { tenant: string; digest: Buffer } = { tenant: '', digest: Buffer.alloc(0) };
    let examined = 0;
    for (;;) {
      const rows = await query<{ tenant_id: string; record_digest: Buffer; record: Buffer }>(RETRIEVALS_AFTER, [
        after.tenant,
        after.digest,
        PAGE,
      ]);
      for (const row of rows) checkRetrieval(row, faults);
      await expectLogged(
        query,
        rows.map((row) => row.record_digest),
        faults,
      );
      examined += rows.length;
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE) return examined;
      after = { tenant: last.tenant_id, digest: last.record_digest };
    }
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

function checkRow(row: ReceiptRow, last: Position, keys: Map<string, KnownKey>, faults: Faults): Position {
  const name = `receipt ${row.receipt_id} of tenant ${row.tenant_id}`;
  const same = row.tenant_id === last.tenantId && row.stream === last.stream;
  const seq = Number(row.seq);
  if (seq !== (same ? last.seq : 0) + 1) faults.add(`${name}: stream ${row.stream} has a gap before seq ${row.seq}`);
  try {
    const opened = openReceipt(row.cose);
    const known = keys.get(opened.kid);
    if (known === undefined || !verifyCose(parseCose(row.cose), known.key))
      faults.add(`${name}: the signature does not hold`);
    if (opened.receiptId !== row.receipt_id || !columnsAgree(row, opened.payload)) {
      faults.add(`${name}: its columns differ from what was signed`);
    }
    if (opened.payload.prev !== (same ? last.payloadHash : null))
      faults.add(`${name}: prev is not the receipt before it`);
  } catch (error) {
    faults.add(`${name}: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
  return { tenantId: row.tenant_id, stream: row.stream, seq, payloadHash: namedDigest('blake3', row.payload_hash) };
}

function columnsAgree(row: ReceiptRow, payload: ReceiptPayload): boolean {
  const prev = row.prev_hash === null ? null : namedDigest('blake3', row.prev_hash);
  const columns = [row.tenant_id, row.stream, Number(row.seq), row.kind, row.actor, row.subject, prev];
  const signed = [
    payload.tenant_id,
    payload.stream,
    payload.seq,
    payload.kind,
    payload.actor,
    payload.subject,
    payload.prev,
  ];
  return (
    JSON.stringify(columns) === JSON.stringify(signed) &&
    row.occurred_at.toISOString() === payload.occurred_at &&
    namedDigest('blake3', row.payload_hash) === namedDigest('blake3', blake3(payloadBytes(row)))
  );
}

function payloadBytes(row: ReceiptRow): Uint8Array {
  return parseCose(row.cose).payload ?? new Uint8Array(0);
}

function checkRetrieval(row: { tenant_id: string; record_digest: Buffer; record: Buffer }, faults: Faults): void {
  const name = `retrieval receipt ${row.record_digest.toString('hex')} of tenant ${row.tenant_id}`;
  try {
    const { receiptId, payload } = openRetrieval(row.record);
    if (receiptId !== namedDigest('blake3', row.record_digest) || payload.tenant_id !== row.tenant_id) {
      faults.add(`${name}: its columns differ from the record`);
    }
  } catch (error) {
    faults.add(`${name}: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
}

async function expectLogged(query: Query, digests: readonly Uint8Array[], faults: Faults): Promise<void> {
  const lost = await query<{ digest: Buffer }>(WITHOUT_LEAF, [digests.map((digest) => Buffer.from(digest))]);
  for (const { digest } of lost) faults.add(`record ${namedDigest('blake3', digest)} has no leaf and waits for none`);
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

const RECEIPTS_AFTER = `
  select tenant_id, receipt_id, stream, seq, prev_hash, payload_hash, kind, actor, subject, occurred_at, cose
  from receipt where (tenant_id, stream, seq) > ($1, $2, $3) order by tenant_id, stream, seq limit $4
`;
const RETRIEVALS_AFTER = `
  select tenant_id, record_digest, record from retrieval_receipt
  where (tenant_id, record_digest) > ($1, $2) order by tenant_id, record_digest limit $3
`;
const LEAVES_FROM = `
  select leaf_index, record_type, record_digest from log_leaf where leaf_index >= $1 order by leaf_index limit $2
`;
const WITHOUT_LEAF = `
  select digest from unnest($1::bytea[]) digest
  where not exists (select from log_leaf l where l.record_digest = digest)
    and not exists (select from log_pending p where p.record_digest = digest)
`;
const WRONG_HEADS = `
  select tenant_id, stream from receipt_head h
  full join (
    select distinct on (tenant_id, stream) tenant_id, stream, seq, payload_hash
    from receipt order by tenant_id, stream, seq desc
  ) r using (tenant_id, stream)
  where coalesce(h.seq, -1) <> coalesce(r.seq, 0) or h.payload_hash is distinct from r.payload_hash
`;
