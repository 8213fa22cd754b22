import type { Query } from '../tenancy/cross-tenant.js';
import { blake3, namedDigest } from '../../evidence/digest.js';
import type { KnownKey, KnownKeys } from './known-keys.js';
import { checkTile, FIRST_TILE, type TilePlace } from './log-tiles.js';
import { LeafMarks } from './leaf-marks.js';
import { LogReader } from './log-reader.js';
import type { EvidenceFault, FaultSink, SubjectCheck } from './evidence-look.types.js';
import { firstReceipts, rowsToLookAt } from './leaf-batches.js';
import {
  checkReceipt,
  checkRetrieval,
  FIRST_POSITION,
  type Position,
  type WholeReceiptRow,
  type WholeRetrievalRow,
} from './record-rows.js';
import { ERASED_UNSAID, readRemovedLeaves } from './removed-records.js';
import { blocksOf, publicName, rowsWithoutReceipt } from './receipted-rows.js';

/** What a look does one after another. A part that has come to its end makes place for the next. */
const PARTS = ['receipts', 'retrievals', 'heads', 'rows', 'tiles', 'leaves'] as const;
type Part = (typeof PARTS)[number];

/** Where a look stands; `bits` apart it is JSON, so that another process can go on with it. */
export interface LookPlace {
  readonly part: Part | 'ended';
  readonly after: unknown;
  /** Leaves that the log had when the look began. */
  readonly size: number;
  /** Receipts and retrieval receipts seen. */
  readonly records: number;
  /** All rows seen; a batch of documents counts as many as it binds. */
  readonly examined: number;
}

/** What a look holds the records against. */
export interface LookBasis {
  readonly checks: readonly SubjectCheck[];
  readonly keys: KnownKeys;
}

/** Named at most; the rest is counted. */
const MAX_LEAVES_NAMED = 20;

/**
 * One look at all of the evidence, some rows at a time, each time on a snapshot of its own or all on one: every record
 * against its signature, its columns, its chain and its leaf, rows of the modules against the receipts that speak of
 * them, the tiles of the log against its leaves, and at the end every leaf against its record.
 */
export class EvidenceLook {
  private faults: EvidenceFault[] = [];

  private constructor(
    private place: LookPlace,
    readonly marks: LeafMarks,
    private readonly basis: LookBasis,
  ) {}

  static async begin(query: Query, basis: LookBasis): Promise<EvidenceLook> {
    const [log] = await query<{ size: string }>('select coalesce(max(leaf_index) + 1, 0) as size from log_leaf');
    const size = Number(log!.size);
    return new EvidenceLook(
      { part: 'receipts', after: null, size, records: 0, examined: 0 },
      new LeafMarks(size),
      basis,
    );
  }

  static resume(place: LookPlace, bits: Buffer, basis: LookBasis): EvidenceLook {
    return new EvidenceLook(place, new LeafMarks(place.size, bits), basis);
  }

  get at(): LookPlace {
    return this.place;
  }

  get isOver(): boolean {
    return this.place.part === 'ended';
  }

  /** Goes on by about so many rows. @returns what was found amiss among them */
  async step(query: Query, rows: number): Promise<EvidenceFault[]> {
    this.faults = [];
    const { part } = this.place;
    if (part === 'receipts') await this.receipts(query, rows);
    if (part === 'retrievals') await this.retrievals(query, rows);
    if (part === 'heads') await this.heads(query, rows);
    if (part === 'rows') await this.rows(query, rows);
    if (part === 'tiles') await this.tiles(query);
    if (part === 'leaves') await this.leaves(query);
    return this.faults;
  }

  /** @param after null where the part has come to its end */
  private advance(after: unknown, examined: number, records = 0): void {
    const part = this.place.part as Part;
    this.place = {
      ...this.place,
      part: after === null ? (PARTS[PARTS.indexOf(part) + 1] ?? 'ended') : part,
      after,
      records: this.place.records + records,
      examined: this.place.examined + examined,
    };
  }

  private sink(check: string, subject: string): FaultSink {
    return { add: (detail) => void this.faults.push({ check, subject, detail }) };
  }

  private async receipts(query: Query, limit: number): Promise<void> {
    const keys = await keysById(query, this.basis.keys);
    let last = (this.place.after as Position | null) ?? FIRST_POSITION;
    const read = await query<WholeReceiptRow>(RECEIPTS_AFTER, [last.tenantId, last.stream, last.seq, limit]);
    const rows = firstReceipts(read, limit);
    for (const row of rows) last = checkReceipt(row, last, keys, this.sink('receipts', row.receipt_id));
    for (const row of rows.filter(({ has_head }) => !has_head)) this.sink('heads', chainId(row)).add(unfinished(row));
    const logged = rows
      .filter(({ cose }) => cose.length > 0)
      .map((row) => ({ digest: blake3(row.cose), subject: row.receipt_id }));
    await this.seeLogged(query, 'receipts', logged);
    await this.checkSubjects(
      query,
      rows.filter(({ is_erased }) => !is_erased),
    );
    const examined = rows.reduce((sum, row) => sum + rowsToLookAt(row), 0);
    this.advance(rows.length < limit && rows.length === read.length ? null : last, examined, logged.length);
  }

  private async checkSubjects(query: Query, rows: readonly WholeReceiptRow[]): Promise<void> {
    for (const check of this.basis.checks) {
      const receipts = rows.filter(({ kind }) => check.kinds.includes(kind));
      if (receipts.length > 0) await check.check(query, receipts, (receiptId) => this.sink(check.name, receiptId));
    }
  }

  private async retrievals(query: Query, limit: number): Promise<void> {
    const after = (this.place.after as { tenant: string; digest: string } | null) ?? { tenant: '', digest: '' };
    const rows = await query<WholeRetrievalRow>(RETRIEVALS_AFTER, [
      after.tenant,
      Buffer.from(after.digest, 'hex'),
      limit,
    ]);
    for (const row of rows) checkRetrieval(row, this.sink('retrievals', idOf(row)));
    await this.seeLogged(
      query,
      'retrievals',
      rows.map((row) => ({ digest: row.record_digest, subject: idOf(row) })),
    );
    const last = rows.length < limit ? undefined : rows.at(-1);
    const next = last ? { tenant: last.tenant_id, digest: last.record_digest.toString('hex') } : null;
    this.advance(next, rows.length, rows.length);
  }

  /** Marks the leaves of records; one has to be there, or a place in the queue for one. */
  private async seeLogged(
    query: Query,
    check: string,
    records: readonly { digest: Uint8Array; subject: string }[],
  ): Promise<void> {
    const leaves = await new LogReader(query).findLeaves(records.map(({ digest }) => digest));
    for (const leaf of leaves.values()) this.marks.mark(leaf);
    const without = records.filter(({ digest }) => !leaves.has(Buffer.from(digest).toString('hex')));
    if (without.length === 0) return;
    const lost = await query<{ digest: Buffer }>(NOT_PENDING, [without.map(({ digest }) => Buffer.from(digest))]);
    for (const { digest } of lost) {
      const { subject } = without.find((record) => digest.equals(record.digest))!;
      this.sink(check, subject).add(`record ${namedDigest('blake3', digest)} has no leaf and waits for none`);
    }
  }

  private async heads(query: Query, limit: number): Promise<void> {
    const after = (this.place.after as ChainRow | null) ?? { tenant_id: '', stream: '' };
    const rows = await query<ChainRow & { same: boolean }>(HEADS_AFTER, [after.tenant_id, after.stream, limit]);
    for (const row of rows.filter(({ same }) => !same)) this.sink('heads', chainId(row)).add(unfinished(row));
    const last = rows.length < limit ? undefined : rows.at(-1)!;
    this.advance(last ? { tenant_id: last.tenant_id, stream: last.stream } : null, rows.length);
  }

  /** Rows of the modules that no receipt speaks of, a few blocks of one table at a time. */
  private async rows(query: Query, limit: number): Promise<void> {
    const sources = this.basis.checks.flatMap((check) => check.rows.map((source) => ({ check, source })));
    const { index, block } = (this.place.after as { index: number; block: number } | null) ?? { index: 0, block: 0 };
    const current = sources[index];
    if (!current) return this.advance(null, 0);
    const blocks = await blocksOf(query, current.source);
    const until = block + Math.max(1, Math.ceil(limit / ROWS_OF_A_BLOCK));
    const { examined, lost } = await rowsWithoutReceipt(query, current.source, {
      ...{ from: block, until },
      keys: await keysById(query, this.basis.keys),
    });
    for (const { id, detail } of lost) this.sink(current.check.name, id).add(detail);
    this.advance(until < blocks ? { index, block: until } : { index: index + 1, block: 0 }, examined);
  }

  private async tiles(query: Query): Promise<void> {
    const place = (this.place.after as TilePlace | null) ?? FIRST_TILE;
    const { fault, hashes, next } = await checkTile(query, place);
    if (fault !== undefined) this.sink('log', `${place.level}/${place.index}`).add(fault);
    this.advance(next ?? null, hashes);
  }

  private async leaves(query: Query): Promise<void> {
    for (const { tenant_id: tenant } of await query<{ tenant_id: string }>(ERASED_UNSAID))
      this.sink('leaves', chainId({ tenant_id: tenant, stream: '' })).add(
        `tenant ${tenant} is marked as being erased, and none of its receipts says that it was deleted`,
      );
    for (const [first, count] of await readRemovedLeaves(query, await keysById(query, this.basis.keys)))
      this.marks.markRange(first, count);
    const { first, count } = this.marks.unmarked(MAX_LEAVES_NAMED);
    for (const leaf of await query<LeafRow>(LEAVES, [first]))
      this.sink('leaves', leaf.leaf_index).add(lostRecord(leaf));
    if (count > first.length)
      this.sink('leaves', 'more').add(`${count - first.length} more leaves of the log have lost their record`);
    this.advance(null, 0);
  }
}

export const keysById = async (query: Query, keys: KnownKeys): Promise<Map<string, KnownKey>> =>
  new Map((await keys.read(query)).map((known) => [known.key.kid, known]));

interface ChainRow {
  tenant_id: string;
  stream: string;
}
interface LeafRow {
  leaf_index: string;
  record_type: string | null;
  record_digest: Buffer | null;
}

const idOf = ({ record_digest }: WholeRetrievalRow): string => namedDigest('blake3', record_digest);

const chainId = ({ tenant_id, stream }: ChainRow): string => publicName(tenant_id, stream);

const unfinished = ({ tenant_id, stream }: ChainRow): string =>
  `stream ${stream} of tenant ${tenant_id} does not end where its head says`;

const lostRecord = ({ leaf_index, record_type, record_digest }: LeafRow): string =>
  record_digest === null
    ? `the log has no leaf ${leaf_index}`
    : `leaf ${leaf_index} of the log (${record_type}, ${namedDigest('blake3', record_digest)}): its record is gone`;

/** A guess, to make a step of blocks about as long as one of rows. */
const ROWS_OF_A_BLOCK = 10;

/** While a tenant is erased, its chains have gaps; what stays is that of the tenant itself. */
export const isErased = (row: string): string =>
  `(${row}.stream <> 'tenant' and exists (select from tenant t where t.tenant_id = ${row}.tenant_id and t.erasure_began_at is not null))`;

const RECEIPTS_AFTER = `
  select tenant_id, receipt_id, stream, seq, prev_hash, payload_hash, kind, actor, subject, occurred_at, cose,
    session, ingested_at is null as is_older, ${isErased('r')} as is_erased,
    seq > 1 or ${isErased('r')} or exists (select from receipt_head h where h.tenant_id = r.tenant_id and h.stream = r.stream) as has_head
  from receipt r where (tenant_id, stream, seq) > ($1, $2, $3)
  union all
  -- What an erasure of a subject left of receipts: their place in the chain, which the next one names.
  select tenant_id, null, stream, seq, prev_hash, payload_hash, '', '', '', now(), ''::bytea, null, true, true, true
  from erased_receipt r where stream is not null and (tenant_id, stream, seq) > ($1, $2, $3)
  order by tenant_id, stream, seq limit $4`;
const RETRIEVALS_AFTER = `
  select tenant_id, record_digest, actor, occurred_at, record, session, ingested_at is null as is_older from retrieval_receipt
  where (tenant_id, record_digest) > ($1, $2) order by tenant_id, record_digest limit $3`;
const NOT_PENDING = `
  select digest from unnest($1::bytea[]) digest where not exists (select from log_pending p where p.record_digest = digest)`;
/** Where the chain of the head `h` ends: a receipt, or what an erasure left of one. */
export const END_OF_CHAIN = `
  select seq, payload_hash from (
    (select seq, payload_hash from receipt r where r.tenant_id = h.tenant_id and r.stream = h.stream order by seq desc limit 1)
    union all
    (select seq, payload_hash from erased_receipt r where r.tenant_id = h.tenant_id and r.stream = h.stream order by seq desc limit 1)
  ) last order by seq desc limit 1`;
const HEADS_AFTER = `
  select h.tenant_id, h.stream, (h.seq = coalesce(r.seq, 0) and h.payload_hash is not distinct from r.payload_hash) or ${isErased('h')} as same
  from receipt_head h left join lateral (${END_OF_CHAIN}) r on true
  where (h.tenant_id, h.stream) > ($1, $2) order by h.tenant_id, h.stream limit $3`;
const LEAVES = `
  select n as leaf_index, l.record_type, l.record_digest from unnest($1::bigint[]) n left join log_leaf l on l.leaf_index = n order by n`;
