import { DateTime, Flag, Integer, Nested, Text, TextList } from '../../../../common/fields/fields.js';
import { DEFAULT_TTL_SECONDS, MAX_TTL_SECONDS } from '../../leases/leases.types.js';
import { WorkItem } from '../work-item.dto.js';
import { PassportField } from '../work.dto.js';

const TTL = { min: 1, max: MAX_TTL_SECONDS, default: DEFAULT_TTL_SECONDS };
const MAX_FENCE = { min: 1, max: Number.MAX_SAFE_INTEGER };
const TENANT = { about: 'The tenant; your own where it is left out.', optional: true, min: 1, max: 120 };

class Claiming {
  @PassportField('The passport that holds it; the acting passport where it is left out.', { optional: true })
  by_passport?: string;

  @Integer({ about: 'For how many seconds. Renew before two thirds of it are over.', ...TTL })
  ttl_secs!: number;

  @Text(TENANT)
  tenant_id?: string;
}

/** What POST /v1/work/{id}/claim takes. */
export class ClaimRequest extends Claiming {}

/** What POST /v1/work/claim-next takes. */
export class ClaimNextRequest extends Claiming {
  @Text({ about: 'Only items of this project.', optional: true, min: 1, max: 120 })
  project_id?: string;

  @TextList({ about: 'Only items that have all of these labels.', optional: true, maxItems: 20 })
  labels?: string[];
}

/** What POST /v1/work/{id}/renew takes. */
export class RenewRequest extends Claiming {
  @Integer({ about: 'The fence that the claim answered; or send it as X-Svc-Fence.', optional: true, ...MAX_FENCE })
  fence?: number;
}

/** What POST /v1/work/renew-lease takes. */
export class RenewLeaseRequest extends Claiming {
  @Integer({ about: 'The fence of the lease, of a work item or of a path.', ...MAX_FENCE })
  fence!: number;
}

export class ReleaseRequest {
  @PassportField('The passport that holds it; the acting passport where it is left out.', { optional: true })
  by_passport?: string;

  @Integer({ about: 'The fence that the claim answered; or send it as X-Svc-Fence.', optional: true, ...MAX_FENCE })
  fence?: number;

  @Text({ about: 'Why, for whoever takes it next.', optional: true, min: 1, max: 1000 })
  reason?: string;

  @Text(TENANT)
  tenant_id?: string;
}

export class ForceReleaseRequest {
  @Flag({ about: 'Must be true: somebody may be at work on it.', default: false, example: true })
  confirm!: boolean;

  @Text({ about: 'Why; the item shows it as a comment.', min: 1, max: 1000 })
  reason!: string;

  @PassportField('The passport that forces it; the acting passport where it is left out.', { optional: true })
  by_passport?: string;

  @Text(TENANT)
  tenant_id?: string;
}

/** Who holds something, until when. */
export class HeldLease {
  @Integer({
    about: 'Rises with every lease of the tenant. Send it as X-Svc-Fence with what you write under the lease.',
  })
  fence!: number;

  @Text({ about: 'Who holds it.' })
  holder_passport!: string;

  @DateTime({ about: 'From then on it is free for others.' })
  expires_at!: string;

  @DateTime({ about: 'Renew before then, so that there is time for a second attempt.' })
  renew_before!: string;
}

export class ClaimReply {
  @Text({ about: 'svc.work_claim/1' })
  schema!: 'svc.work_claim/1';

  @Nested({ about: 'The item; null where nothing is ready.', type: () => WorkItem, nullable: true })
  work!: WorkItem | null;

  @Nested({ about: 'Your lease of it.', type: () => HeldLease, nullable: true })
  lease!: HeldLease | null;

  @Flag({ about: 'Whether you held it before: the fence is the same, the time longer.' })
  reentrant!: boolean;
}

export class RenewedReply {
  @Text({ about: 'svc.lease/1' })
  schema!: 'svc.lease/1';

  @Nested({ about: 'The lease as it is now.', type: () => HeldLease })
  lease!: HeldLease;
}

export class ReleaseReply {
  @Text({ about: 'svc.work_released/1' })
  schema!: 'svc.work_released/1';

  @Nested({ about: 'The item as it is now.', type: () => WorkItem })
  work!: WorkItem;

  @Integer({ about: 'The fence of the lease that ended.' })
  fence!: number;
}
