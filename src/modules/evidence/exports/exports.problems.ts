import { problem } from '../../../common/problem/problem.js';

/** No evidence of the tenant is about it. */
export class SubjectUnknown extends problem<{ subject: string; id: string }>(
  404,
  'SubjectUnknown',
  'There is no evidence of this subject',
) {}
export class ExportTooLarge extends problem(400, 'ExportTooLarge', 'This is too much for one export') {}
/** A stored record cannot be read: somebody changed it. */
export class EvidenceDamaged extends problem<{ receipt_id: string }>(
  500,
  'EvidenceDamaged',
  'A record of the subject cannot be read',
) {}
/** memory-daemon.md 4.8, rule 2: of builds without the store. This one has it, so nothing answers it. */
export class ExportStoreAbsent extends problem(501, 'ExportStoreAbsent', 'This build has no store of this evidence') {}
