import { OF_BATCHES } from '../../../common/evidence-log/leaf-batches.js';
import { blake3 } from '../../../evidence/digest.js';
import { openReceipt, openRetrieval } from '../../../evidence/receipt.js';
import { ERASURE_STREAM } from '../../../common/evidence-log/removed-records.js';
import { QUARANTINE_STREAM } from '../../../common/evidence-log/set-aside.js';
import { lockAgainstCopies } from '../../../common/tenancy/copied-texts.js';
import { TENANT_STREAM } from '../../../common/tenancy/tenant-state.js';
import type { Query } from '../../../common/tenancy/cross-tenant.js';
import type { ErasedCounts, FoundRecord, FoundRows, FoundSubject, SubjectSelector } from './erasure.types.js';
import { makeMatcher } from './record-names.rules.js';

/** Records that are read at once. */
const PAGE = 2_000;
/** Rows that others commit meanwhile are found by the next pass. */
const MAX_PASSES = 10;
const FOREIGN_KEY_VIOLATION = '23503';
const NO_RECEIPT = '00000000-0000-0000-0000-000000000000';

/** What an erasure has removed. */
export interface Removed {
  readonly counts: ErasedCounts;
  /** Of the index of documents, to be rewritten. */
  readonly shards: readonly string[];
}

/**
 * Finds and removes a subject, in one transaction of a tenant: of the application, or of the owner who restores a
 * backup. The report and the removal are of what `find` finds.
 */
export class SubjectEraser {
  constructor(
    private readonly query: Query,
    private readonly tenantId: string,
  ) {}

  async find(selector: SubjectSelector): Promise<FoundSubject> {
    await this.query('select svc_find_subject($1, $2)', [this.tenantId, JSON.stringify(selector)]);
    const found = await this.query<{ term: string; is_record: boolean }>('select * from svc_found_terms()');
    const terms = new Set(found.filter(({ is_record }) => !is_record).map(({ term }) => term));
    const named = new Set(found.filter(({ is_record }) => is_record).map(({ term }) => term));
    const isOf = makeMatcher(terms, selector);
    const rows = await this.query<{ name: string; found: string; samples: string[] | null }>(
      'select * from svc_found_rows($1)',
      [this.tenantId],
    );
    return {
      rows: rows.flatMap(({ name, found: count, samples }): FoundRows[] =>
        count === '0' ? [] : [{ name, count: Number(count), samples: samples ?? [] }],
      ),
      receipts: await this.findReceipts(isOf, named),
      retrievals: await this.findRetrievals(isOf, named),
    };
  }

  /** Removes what is found until nothing is. What others copy meanwhile is found by a later pass. */
  async erase(erasureId: string, selector: SubjectSelector): Promise<Removed> {
    const counts: ErasedCounts = {};
    const shards = new Set<string>();
    for (let pass = 1; ; pass++) {
      const found = await this.find(selector);
      if (isEmpty(found) && pass > 1) return { counts, shards: [...shards] };
      if (pass === 1) await lockAgainstCopies(this.query, this.tenantId);
      if (pass > MAX_PASSES) throw new Error('an erasure found more each time that it looked');
      for (const { name, erased, shards: more } of await this.attempt(erasureId, found)) {
        if (more === null) counts[name] = (counts[name] ?? 0) + Number(erased);
        for (const shard of more ?? []) shards.add(shard);
      }
    }
  }

  /** Nothing, where somebody has just added a row that refers to one of these: the next pass finds that one too. */
  private async attempt(erasureId: string, found: FoundSubject): ReturnType<SubjectEraser['eraseFound']> {
    await this.query('savepoint erase_found');
    try {
      const erased = await this.eraseFound(erasureId, found);
      await this.query('release savepoint erase_found');
      return erased;
    } catch (error) {
      if ((error as { code?: string }).code !== FOREIGN_KEY_VIOLATION) throw error;
      await this.query('rollback to savepoint erase_found');
      return [];
    }
  }

  private eraseFound(erasureId: string, { receipts, retrievals }: FoundSubject) {
    return this.query<{ name: string; erased: string; shards: string[] | null }>(
      'select * from svc_erase_found($1, $2, $3, $4, $5)',
      [
        this.tenantId,
        erasureId,
        receipts.map(({ receiptId }) => receiptId),
        receipts.map(({ digest }) => Buffer.from(digest)),
        retrievals.map(({ digest }) => Buffer.from(digest)),
      ],
    );
  }

  /** What became of tenants and erasures, of what is aside, and receipts over batches, say nothing of a subject. */
  private async findReceipts(isOf: (value: unknown) => boolean, named: ReadonlySet<string>): Promise<FoundRecord[]> {
    const found: FoundRecord[] = [];
    for (let after = NO_RECEIPT; ;) {
      const rows = await this.query<ReceiptBytes>(RECEIPTS, [
        ...[this.tenantId, after, [TENANT_STREAM, ERASURE_STREAM, QUARANTINE_STREAM], OF_BATCHES, PAGE],
      ]);
      for (const { receipt_id: receiptId, cose, actor, subject } of rows)
        if (named.has(receiptId) || isOf([subject, actor, bodyOf(cose)]))
          found.push({ receiptId, digest: blake3(cose) });
      if (rows.length < PAGE) return found;
      after = rows.at(-1)!.receipt_id;
    }
  }

  private async findRetrievals(isOf: (value: unknown) => boolean, named: ReadonlySet<string>): Promise<FoundRecord[]> {
    const found: FoundRecord[] = [];
    for (let after: Buffer = Buffer.alloc(0); ;) {
      const rows = await this.query<{ record_digest: Buffer; record: Buffer }>(RETRIEVALS, [
        this.tenantId,
        after,
        PAGE,
      ]);
      for (const { record_digest: digest, record } of rows) {
        const receiptId = `blake3:${digest.toString('hex')}`;
        if (named.has(receiptId) || isOf(openRetrieval(record).payload)) found.push({ receiptId, digest });
      }
      if (rows.length < PAGE) return found;
      after = rows.at(-1)!.record_digest;
    }
  }
}

const isEmpty = ({ rows, receipts, retrievals }: FoundSubject): boolean =>
  rows.length + receipts.length + retrievals.length === 0;

interface ReceiptBytes {
  receipt_id: string;
  cose: Buffer;
  actor: string;
  subject: string;
}

/** One that cannot be read is named by the check of the chains. */
function bodyOf(cose: Buffer): unknown {
  try {
    return openReceipt(cose).payload.body;
  } catch {
    return undefined;
  }
}

const RECEIPTS = `
  select receipt_id, cose, actor, subject from receipt
  where tenant_id = $1 and receipt_id > $2 and stream <> all($3) and kind <> all($4) order by receipt_id limit $5`;
const RETRIEVALS = `
  select record_digest, record from retrieval_receipt where tenant_id = $1 and record_digest > $2 order by record_digest limit $3`;
