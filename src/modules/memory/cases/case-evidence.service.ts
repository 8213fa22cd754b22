import type { FaultSink, StoredReceipt, SubjectCheck } from '../../../common/evidence-log/evidence-look.types.js';
import {
  findOtherWriter,
  readBodies,
  type ReadReceipt,
  readWithRows,
  type WrittenRow,
} from '../../../common/evidence-log/receipt-bodies.js';
import { digestOfId, SetAside } from '../../../common/evidence-log/set-aside.js';
import type { Query } from '../../../common/tenancy/cross-tenant.js';
import { canonicalJson } from '../../../evidence/canonical-json.js';
import { blake3Digest } from '../../../evidence/digest.js';

const CASE_RECORDED = 'case.recorded';
/** What brings in cases of others, and deletes what they deleted: such receipts count them, and bind none. */
const OF_OTHERS: readonly string[] = ['memory.imported', 'sync.applied', 'sync.resolved', 'sync.offboarded'];

/** Cases against the receipts of their recording. */
export class CaseEvidence implements SubjectCheck {
  readonly name = 'cases';
  readonly kinds = [CASE_RECORDED];
  readonly rows = [
    {
      table: 'memory_case',
      receipts: `
        select tenant_id, receipt_id, case_id::text as name from memory_case where ctid >= $1::tid and ctid < $2::tid`,
      spokenOf: (receipt: StoredReceipt) => {
        if (OF_OTHERS.includes(receipt.kind)) return undefined;
        return receipt.kind === CASE_RECORDED ? readBodies([receipt]).map(({ subject }) => subject) : [];
      },
    },
  ];

  async check(query: Query, receipts: readonly StoredReceipt[], faultOf: (id: string) => FaultSink): Promise<void> {
    const aside = new SetAside(query);
    for (const { receipt, row } of await readWithRows<NamedRow>(query, receipts, CASES, OF_OTHERS)) {
      const { tenantId, receiptId, subject } = receipt;
      const fault = findFault(receipt, row!) ?? (await findOtherAside(aside, row!));
      if (fault !== undefined)
        faultOf(receiptId).add(`case ${subject} of tenant ${tenantId}, receipt ${receiptId}: ${fault}`);
    }
  }
}

/** A case, or where one was. */
interface NamedRow extends WrittenRow {
  tenant_id: string;
  id: string;
  is_there: boolean;
  /** A receipt says that it was deleted, or those of others may have said so. */
  is_deleted: boolean;
  task: string;
  action: string;
  outcome: string;
  context: string;
  lesson: string | null;
  tags: string[];
  source_receipt: string | null;
  success: boolean;
  reward: number;
  content_hash: string;
  receipt_id: string;
  quarantined: boolean;
}

function findFault(receipt: ReadReceipt, row: NamedRow): string | undefined {
  if (!row.is_there) return row.is_deleted ? undefined : 'its row is gone';
  // One that was deleted, and brought in again.
  if (row.receipt_id !== receipt.receiptId) return row.is_deleted ? undefined : 'its row names another receipt';
  const { task, action, outcome, context, lesson, tags, source_receipt } = row;
  const hash = blake3Digest(canonicalJson({ task, action, outcome, context, lesson, tags, source_receipt }));
  const { body } = receipt;
  const isSame =
    hash === row.content_hash &&
    body.content_hash === hash &&
    body.success === row.success &&
    Math.fround(Number(body.reward)) === Math.fround(row.reward);
  return isSame ? findOtherWriter(receipt, row) : 'it is not what was recorded';
}

/** The cases that incidents have aside are those that receipts name. */
const findOtherAside = async (aside: SetAside, row: NamedRow): Promise<string | undefined> =>
  row.is_there
    ? aside.findFault(row.tenant_id, {
        digestOf: () => digestOfId('case', row.id),
        isAside: row.quarantined,
        node: { kind: 'case', key: [row.id] },
      })
    : undefined;

const CASES = `
  select u.tenant_id, u.case_id as id, c.case_id is not null as is_there, exists (
      select from receipt d where d.tenant_id = u.tenant_id and d.subject = u.case_id::text and d.kind = 'case.deleted'
    ) or exists (select from receipt o where o.tenant_id = u.tenant_id and o.kind = any($3::text[])) as is_deleted,
    c.task, c.action, c.outcome, c.context, c.lesson, c.tags, c.source_receipt, c.success, c.reward, c.content_hash, c.receipt_id,
    c.recorded_by as written_by, c.created_at as written_at, c.quarantined
  from (select distinct * from unnest($1::text[], $2::uuid[]) u (tenant_id, case_id)) u
  left join memory_case c on c.tenant_id = u.tenant_id and c.case_id = u.case_id`;
