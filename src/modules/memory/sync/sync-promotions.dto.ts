import { SHA256_DIGEST } from '../../../evidence/digest-forms.js';
import { Choice, Flag, Integer, ListOf, ListReadLater, Text, TextList } from '../../../common/fields/fields.js';
import { VERDICTS, type Verdict } from './sync-record.types.js';
import { SyncRecord } from './sync.dto.js';
import { type Collection, COLLECTIONS } from './sync.types.js';

const MAX_RECORDS = 5000;
const MAX_PREFIXES = 1000;
const MAX_PREFIX = 640;

/** What POST .../promotions/preview and confirm take. */
export class PromotionRequest {
  @TextList({
    about: 'Prefixes of entities: what begins otherwise is refused. Empty: all that the caller reaches.',
    maxItems: MAX_PREFIXES,
    max: MAX_PREFIX,
    default: [],
  })
  allowlist!: string[];

  @Flag({ about: 'Whether rows of a preview show the versions that are here with their content.', default: false })
  include_content!: boolean;

  @Text({ about: 'The confirm_hash of the preview; a confirmation needs it.', optional: true, pattern: SHA256_DIGEST })
  confirm_hash?: string;

  @ListReadLater({
    about: 'Versions, with their content; none unless given.',
    type: () => SyncRecord,
    optional: true,
    min: 0,
    max: MAX_RECORDS,
  })
  records?: SyncRecord[];
}

export class PromotionRow {
  @Integer({ about: 'The place of the record in the request.', min: 0 })
  index!: number;

  @Choice({ about: 'What it travels in.', values: COLLECTIONS })
  collection!: Collection;

  @TextList({ about: 'Its id.' })
  id!: string[];

  @Text({ about: 'Its digest.', pattern: SHA256_DIGEST })
  digest!: string;

  @Choice({ about: 'What becomes of it.', values: VERDICTS })
  verdict!: Verdict;

  @Text({ about: 'Why it is refused; null where it is not.', nullable: true })
  reason!: string | null;

  @TextList({ about: 'The digests of the versions that are here.' })
  local!: string[];

  @ListOf({
    about: 'The same with their content, where that was asked for and up to 8 MiB of it.',
    type: () => SyncRecord,
    optional: true,
  })
  local_versions?: SyncRecord[];
}

export class VerdictCount {
  @Choice({ about: 'The verdict.', values: VERDICTS })
  verdict!: Verdict;

  @Integer({ about: 'How many records have it.', min: 1 })
  count!: number;
}

export class PromotionPreview {
  @Text({ about: 'svc.sync_preview/1' })
  schema!: 'svc.sync_preview/1';

  @Text({ about: 'The tenant.' })
  tenant_id!: string;

  @ListOf({ about: 'In the order of the request.', type: () => PromotionRow })
  rows!: PromotionRow[];

  @ListOf({ about: 'How many of each verdict.', type: () => VerdictCount })
  counts!: VerdictCount[];

  @Text({ about: 'Over the rows and the versions here that they rest on.', pattern: SHA256_DIGEST })
  confirm_hash!: string;

  @Text({ about: 'Over the digests of the records that are not refused.', pattern: SHA256_DIGEST })
  record_hash!: string;
}

export class PromotionConfirmed {
  @Text({ about: 'svc.sync_confirm/1' })
  schema!: 'svc.sync_confirm/1';

  @Text({ about: 'The tenant.' })
  tenant_id!: string;

  @Integer({ about: 'Versions that were taken in; none where all were here.', min: 0 })
  applied_count!: number;

  @Text({ about: 'Over the digests of the records that are not refused.', pattern: SHA256_DIGEST })
  record_hash!: string;

  @ListOf({ about: 'How many of each verdict.', type: () => VerdictCount })
  counts!: VerdictCount[];

  @Text({ about: 'The receipt (sync.applied); null where nothing changed.', nullable: true })
  receipt_id!: string | null;
}
