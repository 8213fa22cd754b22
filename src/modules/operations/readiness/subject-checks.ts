import type { SubjectCheck } from '../../../common/evidence-log/evidence-look.types.js';
import { ServerStatements } from '../../../common/evidence-log/server-statements.js';
import { AnswerEvidence } from '../../knowledge/citations/answer-evidence.service.js';
import { DocumentEvidence } from '../../knowledge/ingest/document-evidence.service.js';
import { CaseEvidence } from '../../memory/cases/case-evidence.service.js';
import { FactBatches } from '../../memory/facts/fact-batches.service.js';
import { SegmentEvidence } from '../../memory/local-ingest/segment-evidence.service.js';
import { ApprovalEvidence } from '../../shield/core/approvals/approval-evidence.service.js';
import { KillSwitchEvidence } from '../../shield/core/kill-switches/kill-switch-evidence.service.js';
import { StreamEvidence } from '../../memory/streams/stream-evidence.service.js';

/** What is held against receipts, module by module. One that binds its rows by receipts adds its check here. */
export const SUBJECT_CHECKS: readonly SubjectCheck[] = [
  new AnswerEvidence(),
  new DocumentEvidence(),
  new FactBatches(),
  new CaseEvidence(),
  new SegmentEvidence(),
  new StreamEvidence(),
  new ApprovalEvidence(),
  new KillSwitchEvidence(),
  new ServerStatements(),
];
