import type { CaseReply, FoundCase, MemoryCase } from './cases.dto.js';
import type { RankedCase } from './cases.store.js';
import type { MemoryCaseRow } from './memory-case.entity.js';

/** A reward is kept as a 32-bit float: as many digits as it has are shown. */
const DIGITS = 7;

export const caseOfRow = (row: MemoryCaseRow): MemoryCase => ({
  case_id: row.caseId,
  task: row.task,
  action: row.action,
  outcome: row.outcome,
  context: row.context,
  lesson: row.lesson,
  success: row.success,
  reward: Number(row.reward.toPrecision(DIGITS)),
  tags: row.tags,
  source_receipt: row.sourceReceipt,
  screened: row.screened,
  content_hash: row.contentHash,
  receipt_id: row.receiptId,
  ...(row.quarantined ? { quarantined: true } : {}),
  created_by: row.recordedBy,
  created_at: row.createdAt.toISOString(),
});

export const caseReplyOf = (row: MemoryCaseRow): CaseReply => ({ schema: 'svc.case/1', case: caseOfRow(row) });

export const foundCaseOf = ({ row, score, bm25, vector, rewardFactor, ageFactor }: RankedCase): FoundCase => ({
  ...caseOfRow(row),
  score,
  score_parts: { bm25, vector, reward_factor: rewardFactor, age_factor: ageFactor },
});
