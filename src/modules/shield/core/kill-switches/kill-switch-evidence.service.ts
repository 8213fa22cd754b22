import type { FaultSink, StoredReceipt, SubjectCheck } from '../../../../common/evidence-log/evidence-look.types.js';
import {
  findOtherWriter,
  type ReadReceipt,
  readWithRows,
  type WrittenRow,
} from '../../../../common/evidence-log/receipt-bodies.js';
import { ERASURE_STREAM, SUBJECT_RECORDS_ERASED } from '../../../../common/evidence-log/removed-records.js';
import type { Query } from '../../../../common/tenancy/cross-tenant.js';
import { SWITCH_LIFTED, SWITCH_SET } from './kill-switches.events.js';

/** Kill switches against the receipts that they were set, and lifted: none is ever removed but with its tenant. */
export class KillSwitchEvidence implements SubjectCheck {
  readonly name = 'switches';
  readonly kinds = [SWITCH_SET];
  /** One whose receipt an erasure of a subject removed stops calls all the same, and is let be, as those of drills. */
  readonly rows = [
    {
      table: 'shield_kill_switch',
      receipts: `
        select s.tenant_id, r.receipt_id, s.kill_switch_id::text as name from shield_kill_switch s
        join receipt r on r.tenant_id = s.tenant_id and r.subject = s.kill_switch_id::text and r.kind = '${SWITCH_SET}'
        where s.ctid >= $1::tid and s.ctid < $2::tid`,
    },
  ];

  async check(query: Query, receipts: readonly StoredReceipt[], faultOf: (id: string) => FaultSink): Promise<void> {
    for (const { receipt, row } of await readWithRows<SwitchRow>(query, receipts, SWITCHES)) {
      const { tenantId, receiptId, subject } = receipt;
      const fault = findFault(receipt, row);
      if (fault !== undefined)
        faultOf(receiptId).add(`kill switch ${subject} of tenant ${tenantId}, receipt ${receiptId}: ${fault}`);
    }
  }
}

interface SwitchRow extends WrittenRow {
  tenant_id: string;
  id: string;
  scope: string;
  target: string | null;
  mode: string;
  include_reads: boolean;
  expires_at: Date | null;
  lifted_at: Date | null;
  /** A receipt says that it was lifted, or may have said so before an erasure. */
  is_said: boolean;
}

function findFault(receipt: ReadReceipt, row: SwitchRow | undefined): string | undefined {
  const { body } = receipt;
  if (!row) return 'its row is gone';
  if (row.lifted_at !== null && !row.is_said) return 'it is lifted, and no receipt says so';
  const isSame =
    body.scope === row.scope &&
    body.target === row.target &&
    body.mode === row.mode &&
    body.includeReads === row.include_reads &&
    // Those of before do not say when it ends.
    (body.expiresAt === undefined || body.expiresAt === (row.expires_at?.toISOString() ?? null));
  return isSame ? findOtherWriter(receipt, row) : 'what it stops, or until when, is not what was set';
}

const SWITCHES = `
  select s.tenant_id, s.kill_switch_id as id, s.scope, s.target, s.mode, s.include_reads, s.created_by as written_by, s.created_at as written_at,
    s.expires_at, s.lifted_at, exists (
      select from receipt l where l.tenant_id = s.tenant_id and l.subject = s.kill_switch_id::text and l.kind = '${SWITCH_LIFTED}'
    ) or exists (
      select from receipt e where e.tenant_id = s.tenant_id and e.kind = '${SUBJECT_RECORDS_ERASED}' and e.stream = '${ERASURE_STREAM}'
    ) as is_said
  from (select distinct * from unnest($1::text[], $2::uuid[]) u (tenant_id, id)) u
  join shield_kill_switch s on s.tenant_id = u.tenant_id and s.kill_switch_id = u.id`;
