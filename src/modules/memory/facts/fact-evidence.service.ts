import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { namedDigest } from '../../../evidence/digest.js';
import { FACT_BATCH } from '../../../evidence/fact-leaf.js';
import { pathToRoot } from '../../../evidence/leaf-tree.js';
import { type BatchRow, BOUND_COLUMNS, boundRow, isBoundBy, openBatch, type OpenBatch } from './fact-batches.rules.js';
import { hasPrefix, inRanges, isEntity, Parameters, rangesOf } from './fact-sql.js';
import { readerOf } from './facts.service.js';
import type { BoundRow, FactEvidence } from './facts.types.js';

/** Facts of one export at most, the bytes of their values, and the entities that names stand for. */
const MAX_FACTS = 500;
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_ENTITIES = 100;

const MISSING =
  'Records of the entity were deleted in the database: its versions are not all there. No export is made of it.';

/** What shows that a fact is not what was stored. */
interface FactDamage {
  readonly receiptId: string | null;
  readonly detail: string;
}

/** What may still come into an export. */
interface Budget {
  readonly facts: number;
  readonly bytes: number;
}
const WHOLE_BUDGET: Budget = { facts: MAX_FACTS, bytes: MAX_BYTES };

interface EntityEvidence {
  readonly facts: FactEvidence[];
  /** Whether these are all versions that there ever were. */
  readonly complete: boolean;
  readonly damage: FactDamage | undefined;
}

/** Facts with what proves them. In the open unit of work of their tenant. */
@Injectable()
export class FactEvidenceService {
  constructor(private readonly tenancy: Tenancy) {}

  /**
   * The records of an entity that the caller may see, tombstones too, in the order in which they were stored: the
   * newest where there are more than one export can hold. Nothing that an incident has set aside, and of each fact no
   * version from before a gap: those of a fact follow one another in an export.
   */
  async readEntity(caller: DaemonCaller, entity: string, most: Budget = WHOLE_BUDGET): Promise<EntityEvidence> {
    const { rows, due, hasGap } = await this.findRows(caller, entity, most);
    const complete = rows.length === due;
    if (hasGap) return { facts: [], complete, damage: { receiptId: null, detail: MISSING } };
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

  /**
   * As {@link readEntity}, of all entities that begin so, as many as one export can hold. Those of which a fact is
   * damaged are left out.
   */
  async readBeginning(
    caller: DaemonCaller,
    prefixes: readonly string[],
  ): Promise<{ facts: FactEvidence[]; complete: boolean }> {
    const entities = await this.findEntities(caller, prefixes);
    const left = { ...WHOLE_BUDGET };
    const facts: FactEvidence[] = [];
    let complete = entities.length <= MAX_ENTITIES;
    for (const entity of entities.slice(0, MAX_ENTITIES)) {
      if (left.facts <= 0 || left.bytes <= 0) return { facts, complete: false };
      const found = await this.readEntity(caller, entity, left);
      complete &&= found.complete && !found.damage;
      if (found.damage) continue;
      facts.push(...found.facts);
      left.facts -= found.facts.length;
      left.bytes -= found.facts.reduce((sum, { fact }) => sum + Buffer.byteLength(fact.value), 0);
    }
    return { facts, complete };
  }

  /** By name; one more than an export holds, where there are more. */
  private async findEntities(caller: DaemonCaller, prefixes: readonly string[]): Promise<string[]> {
    const reader = readerOf(caller, this.tenancy.tenant);
    const entities = new Set<string>();
    for (const prefix of prefixes) {
      const parameters = new Parameters();
      // In the order of the index, so that it ends with as many.
      const found = await this.tenancy.query<{ entity: string }>(
        `select distinct h.entity_start, h.entity from fact_head h
         where h.tenant_id = ${parameters.add(reader.tenantId)} and ${hasPrefix('h', prefix, parameters)}
           and ${inRanges('h', rangesOf(reader, true), parameters)}
         order by h.entity_start, h.entity limit ${MAX_ENTITIES + 1}`,
        parameters.values,
      );
      for (const { entity } of found) entities.add(entity);
      if (entities.size > MAX_ENTITIES) break;
    }
    return [...entities];
  }

  private async findDamage(row: BoundRow, batch: OpenBatch | Error | undefined): Promise<string | undefined> {
    if (batch === undefined)
      return (await this.isLate(row)) ? 'it has no receipt, though facts stored before it have one' : undefined;
    if (batch instanceof Error) return batch.message;
    return isBoundBy(row, batch) ? undefined : 'it is not what its receipt binds';
  }

  /**
   * @returns the newest records, oldest first, how many versions there were, and whether some are gone that compaction
   * did not remove
   */
  private async findRows(
    caller: DaemonCaller,
    entity: string,
    most: Budget,
  ): Promise<{ rows: BoundRow[]; due: number; hasGap: boolean }> {
    const reader = readerOf(caller, this.tenancy.tenant);
    const parameters = new Parameters();
    const tenant = parameters.add(reader.tenantId);
    const records = `fact_head h left join fact f on f.tenant_id = h.tenant_id and f.chain = h.chain
      where h.tenant_id = ${tenant} and ${isEntity('h', entity, parameters)} and ${inRanges('h', rangesOf(reader, true), parameters)}`;
    const [counts] = await this.tenancy.query<{ due: string; has_gap: boolean }>(
      `select coalesce(sum(version), 0) as due, coalesce(bool_or(stored + compacted <> version), false) as has_gap
       from (select h.version, h.compacted, count(f.seq) as stored from ${records} group by h.chain, h.version, h.compacted) c`,
      parameters.values,
    );
    const rows = await this.tenancy.query<BoundRow>(
      `with newest as (
         select f.seq, sum(octet_length(f.value)) over (order by f.seq desc) - octet_length(f.value) as before
         from ${records} and not f.quarantined order by f.seq desc limit ${most.facts})
       select ${BOUND_COLUMNS} from newest n join fact f on f.tenant_id = ${tenant} and f.seq = n.seq
       where n.before <= ${most.bytes} order by f.seq`,
      parameters.values,
    );
    return { rows: withoutGaps(rows), due: Number(counts!.due), hasGap: counts!.has_gap };
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

/** Of each fact the newest versions that follow one another. */
function withoutGaps(oldestFirst: readonly BoundRow[]): BoundRow[] {
  const oldest = new Map<string, number>();
  const isNext = ({ owner, entity, key, version }: BoundRow): boolean => {
    const name = JSON.stringify([owner, entity, key]);
    const next = oldest.get(name);
    if (next !== undefined && version !== next - 1) return false;
    oldest.set(name, version);
    return true;
  };
  return oldestFirst.toReversed().filter(isNext).toReversed();
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
