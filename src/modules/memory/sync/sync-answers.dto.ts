import { SHA256_DIGEST } from '../../../evidence/digest-forms.js';
import {
  Choice,
  DateTime,
  Flag,
  Integer,
  ListOf,
  Nested,
  Text,
  TextList,
  Uint64,
} from '../../../common/fields/fields.js';
import { SyncRecord } from './sync.dto.js';
import { type Collection, COLLECTIONS } from './sync.types.js';

export class SyncConflict {
  @Text({ about: 'Names it: the key of the record.' })
  conflict_id!: string;

  @Choice({ about: 'The collection of the record.', values: COLLECTIONS })
  collection!: Collection;

  @TextList({ about: 'Its id there.' })
  id!: string[];

  @Text({
    about: 'The digest of the version that reads show; null where a legal hold keeps it from being shown.',
    nullable: true,
  })
  shown!: string | null;

  @ListOf({ about: 'All that are alive, with their content.', type: () => SyncRecord })
  versions!: SyncRecord[];
}

export class SyncConflictList {
  @Text({ about: 'svc.sync_conflicts/1' })
  schema!: 'svc.sync_conflicts/1';

  @ListOf({ about: 'By their ids.', type: () => SyncConflict })
  conflicts!: SyncConflict[];

  @Integer({ about: 'How many are in this page.', min: 0 })
  count!: number;

  @Flag({ about: 'Whether there is a next page.' })
  has_more!: boolean;

  @Text({ about: 'For the next page; null after the last one.', nullable: true })
  next_cursor!: string | null;
}

export class ResolveConflict {
  @Text({ about: 'The digest of the version that is chosen.', pattern: SHA256_DIGEST })
  digest!: string;
}

export class ConflictResolved {
  @Text({ about: 'svc.sync_resolved/1' })
  schema!: 'svc.sync_resolved/1';

  @Text({ about: 'The conflict that is over.' })
  conflict_id!: string;

  @Nested({ about: 'The version that took the place of all.', type: () => SyncRecord })
  version!: SyncRecord;

  @Text({ about: 'The receipt (sync.resolved).' })
  receipt_id!: string;
}

export class OffboardRequest {
  @Uint64({ about: 'The membership epoch that the caller knows; that of the server unless given.', optional: true })
  membership_epoch?: number | string;

  @Flag({ about: 'Whether it is only said what would be done.', default: false })
  dry_run!: boolean;
}

export class KeptCopy {
  @Choice({ about: 'The collection of the record.', values: COLLECTIONS })
  collection!: Collection;

  @TextList({ about: 'Its id.' })
  id!: string[];
}

export class Offboarded {
  @Text({ about: 'svc.sync_offboarded/1' })
  schema!: 'svc.sync_offboarded/1';

  @Text({ about: 'The tenant.' })
  tenant_id!: string;

  @Uint64({ about: 'The membership epoch from here on.' })
  membership_epoch!: number | string;

  @Flag({ about: 'Whether nothing was done.' })
  dry_run!: boolean;

  @TextList({ about: 'Peers that ended, with their delegations.' })
  ended_peers!: string[];

  @Integer({ about: 'Records that were removed: no origin of this server ever wrote them.', min: 0 })
  removed_count!: number;

  @Integer({ about: 'Such records that are left for another call, where they are too many for one.', min: 0 })
  remaining_count!: number;

  @ListOf({ about: 'Such records that legal holds kept, the first thousand.', type: () => KeptCopy })
  kept!: KeptCopy[];

  @Integer({ about: 'How many those are.', min: 0 })
  kept_count!: number;

  @Text({ about: 'The receipt (sync.offboarded); null of a dry run.', nullable: true })
  receipt_id!: string | null;

  @DateTime({ about: 'When.' })
  offboarded_at!: string;
}
