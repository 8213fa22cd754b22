import type { FaultSink, StoredReceipt, SubjectCheck } from '../../../common/evidence-log/evidence-look.types.js';
import type { Query } from '../../../common/tenancy/cross-tenant.js';
import { ERASED_ID, readErasedLeaves } from '../../../common/evidence-log/leaf-batches.js';
import { digestOfId, SetAside } from '../../../common/evidence-log/set-aside.js';
import { FACT_BATCH } from '../../../evidence/fact-leaf.js';
import { KEY_STREAM } from '../../../evidence/key-chain.js';
import { SERVER_TENANT } from '../../../evidence/receipt.js';
import { type BatchRow, BOUND_COLUMNS, isBoundBy, type OpenBatch, openBatch } from './fact-batches.rules.js';
import { findOtherSources } from './fact-source-evidence.js';
import type { BoundRow } from './facts.types.js';

/**
 * A record that names no batch that binds it. Those of a release before batches are let be: they were stored before a
 * batch of the tenant was signed, and before the server had its first key.
 */
const RECEIPTS_OF_ROWS = `
  select f.tenant_id, f.fact_id::text as name,
    case when b.facts[f.leaf_index + 1] = f.fact_id and r.kind = '${FACT_BATCH}' then f.receipt_id end as receipt_id
  from fact f left join fact_batch b on b.tenant_id = f.tenant_id and b.receipt_id = f.receipt_id
    left join receipt r on r.tenant_id = f.tenant_id and r.receipt_id = f.receipt_id
  where f.ctid >= $1::tid and f.ctid < $2::tid and (f.receipt_id is not null or f.stored_at > (
      select min(k.occurred_at) from receipt k where k.tenant_id = '${SERVER_TENANT}' and k.stream = '${KEY_STREAM}')
    or exists (select from receipt o where o.tenant_id = f.tenant_id and o.kind = '${FACT_BATCH}' and o.occurred_at < f.stored_at))`;

/**
 * Facts against the receipts of their batches. A batch is whole when its kept leaves make the root of its receipt, and
 * each leaf is that of the record it is about, at its place. No way through the daemon removes a record while its
 * tenant is there: one that is missing was deleted by other means.
 */
export class FactBatches implements SubjectCheck {
  readonly name = 'facts';
  readonly kinds = [FACT_BATCH];
  readonly rows = [{ table: 'fact', receipts: RECEIPTS_OF_ROWS }];

  async check(query: Query, receipts: readonly StoredReceipt[], faultOf: (id: string) => FaultSink): Promise<void> {
    const batches = await query<StoredBatch>(BATCHES, [
      receipts.map(({ tenant_id }) => tenant_id),
      receipts.map(({ receipt_id }) => receipt_id),
    ]);
    const aside = new SetAside(query);
    for (const some of sliced(batches)) await checkBatches(query, some, { aside, faultOf });
  }
}

/** Facts whose rows are read by one query, but for a batch that alone has more. */
const MAX_FACTS = 256;

interface StoredBatch extends BatchRow {
  tenant_id: string;
  receipt_id: string;
}

/** A record in its chain. */
interface FollowedRow extends BoundRow {
  tenant_id: string;
  /** It says what follows it: what supersedes it, ends it, or deletes it. */
  is_followed: boolean;
  /** Its chain has a head, which lists are read by. What that says is for the projections to look at. */
  has_head: boolean;
  quarantined: boolean;
}

function* sliced(batches: readonly StoredBatch[]): Generator<StoredBatch[]> {
  let slice: StoredBatch[] = [];
  let facts = 0;
  for (const batch of batches) {
    const count = batch.facts?.length ?? 0;
    if (slice.length > 0 && facts + count > MAX_FACTS) {
      yield slice;
      [slice, facts] = [[], 0];
    }
    slice.push(batch);
    facts += count;
  }
  if (slice.length > 0) yield slice;
}

async function checkBatches(
  query: Query,
  batches: readonly StoredBatch[],
  { aside, faultOf }: { aside: SetAside; faultOf: (id: string) => FaultSink },
): Promise<void> {
  const named = batches.flatMap(({ tenant_id, facts }) => (facts ?? []).map((factId) => [tenant_id, factId] as const));
  const found = await query<FollowedRow>(FACTS_OF_BATCHES, [
    named.map(([tenantId]) => tenantId),
    named.map(([, factId]) => factId),
  ]);
  const rows = new Map(found.map((row) => [`${row.fact_id} ${row.tenant_id}`, row]));
  const leaves = batches.map(({ facts: ids, ...batch }) => ({ ...batch, ids }));
  const isErased = await readErasedLeaves(query, leaves, FACTS_ERASED);
  const sound: FollowedRow[] = [];
  for (const batch of batches)
    for (const fault of faultsOf(batch, (factId) => rows.get(`${factId} ${batch.tenant_id}`), { isErased, sound }))
      faultOf(batch.receipt_id).add(fault);
  const add = (row: FollowedRow, fault: string): void =>
    faultOf(row.receipt_id!).add(`fact ${row.fact_id} of tenant ${row.tenant_id}: ${fault}`);
  for (const row of sound) {
    const fault = await findOtherAside(aside, row);
    if (fault !== undefined) add(row, fault);
  }
  for (const row of await findOtherSources(query, sound)) add(row, 'its sources are not those that its receipt binds');
}

/** The records that incidents have aside are those that receipts name. */
const findOtherAside = (aside: SetAside, { tenant_id, fact_id, quarantined }: FollowedRow) =>
  aside.findFault(tenant_id, {
    digestOf: () => digestOfId('fact', fact_id),
    isAside: quarantined,
    node: { kind: 'fact', key: [fact_id] },
  });

/** The kind of the receipts of erasures that name leaves of batches: `batches`, each with `receipt_id` and `leaves`. */
export const FACTS_ERASED = 'erasure.facts';

/** @param sound takes the records that are as their receipt and their chain say */
function faultsOf(
  stored: StoredBatch,
  find: (factId: string) => FollowedRow | undefined,
  { isErased, sound }: { isErased: (batch: StoredBatch, leaf: number) => boolean; sound: FollowedRow[] },
): string[] {
  const { tenant_id: tenantId, receipt_id: receiptId } = stored;
  let batch: OpenBatch;
  try {
    batch = openBatch(stored);
  } catch (error) {
    return [`batch ${receiptId} of facts of tenant ${tenantId}: ${(error as Error).message}`];
  }
  return batch.facts.flatMap((factId, index) => {
    const named = `fact ${factId} of tenant ${tenantId}`;
    if (factId === ERASED_ID)
      return isErased(stored, index)
        ? []
        : [`leaf ${index} of ${receiptId} names no fact, and no receipt says that it was erased`];
    const row = find(factId);
    if (!row) return [`${named} was deleted: its receipt ${receiptId} binds it`];
    if (row.receipt_id !== receiptId || row.leaf_index !== index || !isBoundBy(row, batch))
      return [`${named} was changed: it is not what its receipt ${receiptId} binds`];
    if (!row.is_followed) return [`${named} does not say what follows it`];
    if (!row.has_head) return [`${named}: the head of its chain is gone`];
    sound.push(row);
    return [];
  });
}

const BATCHES = `
  select r.tenant_id, r.receipt_id, r.cose, b.facts, b.leaves
  from unnest($1::text[], $2::uuid[]) n (tenant_id, receipt_id) join receipt r using (tenant_id, receipt_id)
  left join fact_batch b using (tenant_id, receipt_id)
`;
/**
 * A record is in the chain of its name, what supersedes it is the next version, and it is deleted when a tombstone came
 * after it. Of one that is set aside that is said when it is brought back: until then it was there at no time.
 */
const FACTS_OF_BATCHES = `
  select f.tenant_id, ${BOUND_COLUMNS}, f.quarantined,
    f.chain = svc_fact_chain(f.owner, f.entity, f.key) and case when f.quarantined then coalesce(f.deleted_at = '-infinity', false)
      else f.superseded_by is not distinct from n.fact_id and f.superseded_at is not distinct from n.stored_at
        and f.deleted_at is not distinct from e.stored_at
        and f.ends_at is not distinct from least(f.valid_to, coalesce(n.valid_from, n.stored_at), e.stored_at) end as is_followed,
    exists (select from fact_head h where h.tenant_id = f.tenant_id and h.chain = f.chain) as has_head
  from (select distinct * from unnest($1::text[], $2::uuid[]) u (tenant_id, fact_id)) u
  join fact f on f.tenant_id = u.tenant_id and f.fact_id = u.fact_id
  left join fact n on not f.tombstone and n.tenant_id = f.tenant_id and n.chain = f.chain and n.version = f.version + 1
  left join lateral (
    select t.stored_at from fact t where not f.tombstone and t.tenant_id = f.tenant_id and t.chain = f.chain and t.version > f.version
      and t.tombstone order by t.version limit 1) e on true
`;
