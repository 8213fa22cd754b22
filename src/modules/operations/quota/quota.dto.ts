import { DateTime, Integer, ListOf, Text } from '../../../common/fields/fields.js';
import { PASSPORT } from '../../../common/fields/passport.js';

export class QuotaQuery {
  @Text({
    about: 'Another passport than the acting one; takes admin:read.',
    optional: true,
    max: 128,
    pattern: PASSPORT,
    example: 'codex:7',
  })
  passport?: string;
}

/** One bucket as it is now. */
export class SurfaceQuota {
  @Text({ about: 'The surface: the first segment of addresses below /v1.', example: 'context' })
  surface!: string;

  @Integer({ about: 'How many requests a window has.', min: 1 })
  limit!: number;

  @Integer({ about: 'How many seconds a window lasts.', min: 1 })
  window_seconds!: number;

  @Integer({ about: 'How many were taken of this window.', min: 0 })
  used!: number;

  @Integer({ about: 'How many are left of it.', min: 0 })
  remaining!: number;

  @DateTime({ about: 'When the next window begins, and the bucket is full again.' })
  resets_at!: string;
}

export class Quota {
  @Text({ about: 'The form of this answer.', example: 'svc.quota/1' })
  schema!: string;

  @Text({ about: 'Whose quota it is: the passport, else what the credential says.' })
  principal!: string;

  @Text({ about: 'The tenant that requests of it are counted in.' })
  tenant_id!: string;

  @ListOf({ about: 'Surfaces that have a quota; all others have none.', type: () => SurfaceQuota })
  surfaces!: SurfaceQuota[];
}
