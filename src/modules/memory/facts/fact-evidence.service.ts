import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { namedDigest } from '../../../evidence/digest.js';
import { FACT_BATCH } from '../../../evidence/fact-leaf.js';
import { pathToRoot } from '../../../evidence/leaf-tree.js';
import { type BatchRow, BOUND_COLUMNS, boundRow, isBoundBy, openBatch, type OpenBatch } from './fact-batches.rules.js';
import { inRanges, isEntity, Parameters, rangesOf } from './fact-sql.js';
import { readerOf } from './facts.service.js';
import type { BoundRow, FactEvidence } from './facts.types.js';

/** Facts of one export at most, and the bytes of their values. */
const MAX_FACTS = 500;
const MAX_BYTES = 16 * 1024 * 1024;

const MISSING =
  'Records of the entity were deleted in the database: its versions are not all there. No export is made of it.';

/** What shows that a fact is not what was stored. */
export interface FactDamage {
  readonly receiptId: string | null;
  readonly detail: string;
}

/** Facts with what proves them. In the open unit of work of their tenant. */
@Injectable()
export class FactEvidenceService {
  constructor(private readonly tenancy: Tenancy) {}

  /**
   * All records of an entity that the caller may see, tombstones too, in the order in which they were stored: the
   * newest where there are more than one export can hold.
   */
  async readEntity(
    caller: DaemonCaller,
    entity: string,
  ): Promise<{ facts: FactEvidence[]; complete: boolean; damage: FactDamage | undefined }> {
    const { rows, all, due } = await this.findRows(caller, entity);
    const complete = rows.length === all;
    if (all !== due) return { facts: [], complete, damage: { receiptId: null, detail: MISSING } };
    const batches = await this.findBatches(rows);
    const facts: FactEvidence[] = [];
    for (const row of rows) {
      const batch = row.receipt_id === null ? undefined : batches.get(row.receipt_id)!;
      const damage = await this.findDamage(row, batch);
      if (damage !== undefined) {
        const detail = `The fact ${row.fact_id} was changed in the database: ${damage}. No export is made of it.`;
        return { facts, complete, damage: { receiptId: row.receipt_id, detail } };
      }
      facts.push(evidenceOf(row, batch as OpenBatch | undefined));
    }
    return { facts, complete, damage: undefined };
  }

  private async findDamage(row: BoundRow, batch: OpenBatch | Error | undefined): Promise<string | undefined> {
    if (batch === undefined)
      return (await this.isLate(row)) ? 'it has no receipt, though facts stored before it have one' : undefined;
    if (batch instanceof Error) return batch.message;
    return isBoundBy(row, batch) ? undefined : 'it is not what its receipt binds';
  }

  /** @returns the newest records, oldest first, how many there are, and how many there must be */
  private async findRows(
    caller: DaemonCaller,
    entity: string,
  ): Promise<{ rows: BoundRow[]; all: number; due: number }> {
    const reader = readerOf(caller, this.tenancy.tenant);
    const parameters = new Parameters();
    const tenant = parameters.add(reader.tenantId);
    const records = `fact_head h left join fact f on f.tenant_id = h.tenant_id and f.chain = h.chain
      where h.tenant_id = ${tenant} and ${isEntity('h', entity, parameters)} and ${inRanges('h', rangesOf(reader, true), parameters)}`;
    const [counts] = await this.tenancy.query<{ all: string; due: string }>(
      `select coalesce(sum(stored), 0) as all, coalesce(sum(version), 0) as due
       from (select h.version, count(f.seq) as stored from ${records} group by h.chain, h.version) c`,
      parameters.values,
    );
    const rows = await this.tenancy.query<BoundRow>(
      `with newest as (
         select f.seq, sum(octet_length(f.value)) over (order by f.seq desc) - octet_length(f.value) as before
         from ${records} and f.seq is not null order by f.seq desc limit ${MAX_FACTS})
       select ${BOUND_COLUMNS} from newest n join fact f on f.tenant_id = ${tenant} and f.seq = n.seq
       where n.before <= ${MAX_BYTES} order by f.seq`,
      parameters.values,
    );
    return { rows, all: Number(counts!.all), due: Number(counts!.due) };
  }

  /** The batches of these facts by their receipts; of one that is damaged, how. */
  private async findBatches(rows: readonly BoundRow[]): Promise<Map<string, OpenBatch | Error>> {
    const ids = [...new Set(rows.flatMap(({ receipt_id }) => receipt_id ?? []))];
    const found = await this.tenancy.query<BatchRow & { receipt_id: string }>(
      `select id as receipt_id, r.cose, b.facts, b.leaves from unnest($1::uuid[]) id
       left join receipt r on r.tenant_id = $2 and r.receipt_id = id
       left join fact_batch b on b.tenant_id = $2 and b.receipt_id = id`,
      [ids, this.tenancy.tenant],
    );
    return new Map(found.map((batch) => [batch.receipt_id, openOrSay(batch)]));
  }

  /** Whether a fact without a receipt was stored when facts had some. */
  private async isLate({ stored_at }: BoundRow): Promise<boolean> {
    const [row] = await this.tenancy.query<{ late: boolean }>(
      `select exists (select from receipt r where r.tenant_id = $1 and r.kind = $2 and r.occurred_at < $3) as late`,
      [this.tenancy.tenant, FACT_BATCH, stored_at],
    );
    return row!.late;
  }
}

function evidenceOf(row: BoundRow, batch: OpenBatch | undefined): FactEvidence {
  const said = { fact: boundRow(row), storedAt: row.stored_at };
  if (batch === undefined) return { ...said, binding: null };
  const path = pathToRoot(batch.leaves, row.leaf_index!).map((hash) => namedDigest('sha256', hash));
  return { ...said, binding: { receiptId: row.receipt_id!, index: row.leaf_index!, path } };
}

function openOrSay(batch: BatchRow): OpenBatch | Error {
  try {
    return openBatch(batch);
  } catch (error) {
    return error as Error;
  }
}
