import type { CapabilityRecord, CapabilityReference } from './capability-records.dto.js';
import type { CoverageCounts, GapItem, PromiseItem } from './capability-analyses.dto.js';
import type { AuditReply } from './capability-audits.dto.js';
import type { Audit, AuditedCapability, Capability, Gap } from './capabilities.types.js';
import { shareOf, type Coverage } from './capability-analyses.rules.js';
import type { CapabilityAuditRow } from './capability-audit.entity.js';

const NOT_AUDITED: Audit = { status: 'unaudited', auditor: null, lastAudited: null, notes: null, version: 0 };

export const auditOf = (row: CapabilityAuditRow | undefined): Audit =>
  row === undefined
    ? NOT_AUDITED
    : {
        ...{ status: row.status, auditor: row.auditor, notes: row.notes, version: row.version },
        lastAudited: row.createdAt,
      };

/** All digits are kept: as a number up to 2^53 - 1, as text beyond. */
const shownNumber = (promise: bigint): number | string =>
  promise <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(promise) : String(promise);

export const recordOf = (one: AuditedCapability): CapabilityRecord => ({
  ...{ id: one.id, name: one.name, system: one.system, maturity: one.maturity },
  promises: one.promises.map(shownNumber),
  ...{ routes: [...one.routes], flags: [...one.flags], tools: [...one.tools], tests: [...one.tests] },
  ...{ upstream: [...one.upstream], downstream: [...one.downstream] },
  audit: {
    ...{ status: one.audit.status, auditor: one.audit.auditor, notes: one.audit.notes, version: one.audit.version },
    last_audited: one.audit.lastAudited?.toISOString() ?? null,
  },
});

export const referenceOf = ({ id, name, system, maturity }: Capability): CapabilityReference => ({
  ...{ id, name, system, maturity },
});

export const gapViewOf = (one: AuditedCapability, gaps: Gap[]): GapItem => ({ ...referenceOf(one), gaps });

export const promiseViewOf = ({ promise, keptBy }: { promise: bigint; keptBy: AuditedCapability[] }): PromiseItem => ({
  promise: shownNumber(promise),
  kept_by: keptBy.map((one) => ({ ...referenceOf(one), audit: one.audit.status })),
});

export const coverageViewOf = (counts: Coverage): CoverageCounts => ({
  ...counts,
  tested_share: shareOf(counts.tested, counts.capabilities),
  audited_share: shareOf(counts.audited, counts.capabilities),
  passed_share: shareOf(counts.passed, counts.capabilities),
});

/** How a page says whether, and where, there is another. */
export const pagingOf = (next_cursor: string | null): { has_more: boolean; next_cursor: string | null } => ({
  has_more: next_cursor !== null,
  next_cursor,
});

export const auditReplyOf = (row: CapabilityAuditRow): AuditReply => ({
  ...{ capability_id: row.capabilityId, status: row.status, auditor: row.auditor, notes: row.notes },
  ...{ last_audited: row.createdAt.toISOString(), version: row.version, screened: row.screened },
  ...{ created_by: row.createdBy, receipt_id: row.receiptId },
});
