import { DateTime, Flag, Integer, ListOf, Nested, Text, TextList, Uuid } from '../../../common/fields/fields.js';

export class ShownFlag {
  @Text({ about: 'The variable.', example: 'SVCD_QUOTA' })
  name!: string;

  @Flag({ about: 'Whether it opens what it is for.' })
  on!: boolean;
}

export class AppliedMigrations {
  @Integer({ about: 'Migrations of the database.' })
  applied!: number;

  @Integer({ about: 'Migrations that this version knows.' })
  known!: number;
}

/** What GET /v1/version does not say. */
export class OperatorVersion {
  @Text({ about: 'Version of the package.' })
  version!: string;

  @Text({ about: 'Git commit it was built from, where known.', nullable: true })
  commit!: string | null;

  @DateTime({ about: 'When it was built.' })
  built_at!: string;

  @DateTime({ about: 'When this process started.' })
  started_at!: string;

  @Text({ about: 'Version of Node.js.' })
  node!: string;

  @Text({ about: 'Version of PostgreSQL.' })
  postgresql!: string;

  @Nested({ about: 'How far the schema is.', type: () => AppliedMigrations })
  migrations!: AppliedMigrations;

  @TextList({ about: 'Features of SVC_BUILD_FEATURES that are on.' })
  build_features!: string[];

  @ListOf({ about: 'The flags of the daemon.', type: () => ShownFlag })
  flags!: ShownFlag[];

  @Integer({ about: 'How long this process runs, in seconds.' })
  uptime_seconds!: number;

  @Integer({ about: 'The process.' })
  pid!: number;

  @Flag({ about: 'Whether POST /v1/admin/restart works: a supervisor starts the daemon again.' })
  supervised!: boolean;
}

export class RestartRequest {
  @Text({ about: 'Why, for the receipt.', optional: true, min: 1, max: 500 })
  reason?: string;
}

export class RestartAccepted {
  @Uuid({ about: 'What the receipt is about.' })
  restart_id!: string;

  @Uuid({ about: 'The receipt.' })
  receipt_id!: string;

  @Integer({ about: 'What is in flight is answered for so many seconds at most.' })
  drain_seconds!: number;
}

export class TenantChoice {
  @Text({ about: 'The tenant; left out: that of the caller.', optional: true, min: 1, max: 128 })
  tenant_id?: string;
}

export class SealedFacts {
  @Integer({ about: 'Records that no segment of the index held before.' })
  open_before!: number;

  @Integer({ about: 'Records that none holds now: those of writers that were under way.' })
  open_after!: number;
}

export class SealedLog {
  @Integer({ about: 'Leaves of the evidence log.' })
  size!: number;

  @Text({ about: 'The signed checkpoint over them.' })
  checkpoint!: string;
}

export class SealReply {
  @Uuid({ about: 'What the receipt is about.' })
  seal_id!: string;

  @Nested({ about: 'The index of facts of the tenant.', type: () => SealedFacts })
  facts!: SealedFacts;

  @Nested({ about: 'The evidence log of the database.', type: () => SealedLog })
  log!: SealedLog;

  @Uuid({ about: 'The receipt; it is in the log with the next checkpoint.' })
  receipt_id!: string;
}

export class CompactRequest extends TenantChoice {
  @Integer({ about: 'How many records at most.', min: 1, max: 50_000, default: 10_000 })
  limit!: number;
}

export class CompactReply {
  @Uuid({ about: 'What the receipt is about; null where nothing was to be removed.', nullable: true })
  compaction_id!: string | null;

  @Integer({ about: 'Records of deleted facts that were removed.' })
  deleted_removed!: number;

  @Integer({ about: 'Retired versions that were removed.' })
  retired_removed!: number;

  @Integer({ about: 'Records that legal holds keep.' })
  held!: number;

  @Flag({ about: 'Whether nothing is left to be removed; otherwise call it again.' })
  complete!: boolean;

  @Integer({ about: 'SVCD_RETENTION_DAYS; null: retired versions stay.', nullable: true })
  retention_days!: number | null;

  @Uuid({ about: 'The receipt; null where nothing was removed.', nullable: true })
  receipt_id!: string | null;

  @DateTime({ about: 'When it was done.' })
  compacted_at!: string;
}
