import { TIERS, type Tier } from '../../../../common/contract/caller.js';
import {
  Choice,
  DateTime,
  Email,
  Flag,
  ListOf,
  Nested,
  Text,
  TextList,
  Uuid,
} from '../../../../common/fields/fields.js';
import { PageQuery } from '../../../../common/fields/page.dto.js';
import { ASKED_TENANT_NAME } from '../../../../common/keys/tenant-name.js';
import {
  ACCESS_REQUEST_STATUSES,
  AUDIENCES,
  type AccessRequestStatus,
  type Audience,
} from './access-requests.types.js';

export class FrontdoorAccessRequestCreate {
  @Choice({ about: 'Whether a person or an agent will use the tenant.', values: AUDIENCES })
  audience!: Audience;

  @Email({ about: "Where the answer goes; becomes the first owner's seat.", example: 'ada@example.org' })
  requesterEmail!: string;

  @Text({ about: 'Who asks.', optional: true, min: 1, max: 120, example: 'Ada Lovelace' })
  requesterName?: string;

  @Text({ about: 'For which company.', optional: true, min: 1, max: 160, example: 'Analytical Engines Ltd' })
  companyName?: string;

  @Text({ about: 'The tenant name that is wanted; else one is made of the company.', optional: true, min: 1, max: 120 })
  tenantId?: string;

  @Text({ about: 'The agent that will be used.', optional: true, min: 1, max: 120 })
  defaultAgentId?: string;

  @Flag({ about: 'Whether the requester has an API key already.', default: false })
  apiKeyProvided!: boolean;

  @Choice({ about: 'The tier that is wanted.', values: TIERS, optional: true })
  requestedUserLevel?: Tier;

  @Text({ about: 'What for.', optional: true, min: 1, max: 2000 })
  useCase?: string;

  @Text({ about: 'Anything else.', optional: true, min: 1, max: 2000 })
  notes?: string;
}

export class FrontdoorAccessRequestReceipt {
  @Uuid({ about: 'The request, for asking after it.' })
  requestId!: string;

  @Choice({ about: 'Where it stands.', values: ACCESS_REQUEST_STATUSES })
  status!: AccessRequestStatus;

  @DateTime({ about: 'When it was taken in.' })
  submittedAt!: string;
}

export class AccessRequestChange {
  @Choice({ about: 'The status before.', values: ACCESS_REQUEST_STATUSES })
  from!: AccessRequestStatus;

  @Choice({ about: 'The status after.', values: ACCESS_REQUEST_STATUSES })
  to!: AccessRequestStatus;

  @Text({ about: 'Who decided: `seat:<id>` or `key:<id>`.' })
  principal!: string;

  @DateTime({ about: 'When.' })
  at!: string;

  @Text({ about: 'Why; null when no reason was given.', nullable: true })
  reason!: string | null;
}

/** A request as its reviewers see it. Members that were not given are null. */
export class AccessRequest extends FrontdoorAccessRequestReceipt {
  @Choice({ about: 'Who will use the tenant.', values: AUDIENCES })
  audience!: Audience;

  @Email({ about: 'Who asks.' })
  requesterEmail!: string;

  @Text({ about: 'Their name.', nullable: true })
  requesterName!: string | null;

  @Text({ about: 'Their company.', nullable: true })
  companyName!: string | null;

  @Text({ about: 'The tenant name they want.', nullable: true })
  requestedTenantId!: string | null;

  @Text({ about: 'The agent they will use.', nullable: true })
  defaultAgentId!: string | null;

  @Flag({ about: 'Whether they said that they have an API key.' })
  apiKeyProvided!: boolean;

  @Choice({ about: 'The tier they want.', values: TIERS, nullable: true })
  requestedUserLevel!: Tier | null;

  @Text({ about: 'What for.', nullable: true })
  useCase!: string | null;

  @Text({ about: 'Anything else they said.', nullable: true })
  notes!: string | null;

  @DateTime({ about: 'When its status changed last.' })
  updatedAt!: string;

  @Text({ about: 'The tenant that was made for it; null before.', nullable: true })
  provisionedTenantId!: string | null;

  @TextList({ about: 'The states it can go to now.' })
  allowed!: AccessRequestStatus[];

  @ListOf({ about: 'Every change of its status, oldest first.', type: () => AccessRequestChange })
  history!: AccessRequestChange[];
}

export class AccessRequestList {
  @ListOf({ about: 'Requests, newest first.', type: () => AccessRequest })
  accessRequests!: AccessRequest[];

  @Text({ about: 'Where the next page starts; null on the last.', nullable: true })
  next_cursor!: string | null;
}

export class AccessRequestListQuery extends PageQuery {
  @Choice({ about: 'Only requests with this status.', values: ACCESS_REQUEST_STATUSES, optional: true })
  status?: AccessRequestStatus;

  @Choice({ about: 'Only requests for this audience.', values: AUDIENCES, optional: true })
  audience?: Audience;

  @Email({ about: 'Only requests of this e-mail, in upper or lower case.', optional: true })
  email?: string;
}

export class AccessRequestPath {
  @Uuid({ about: 'The request.' })
  id!: string;
}

export class AccessRequestStatusUpdate {
  @Choice({ about: 'The status it goes to.', values: ACCESS_REQUEST_STATUSES })
  status!: AccessRequestStatus;

  @Text({ about: 'Why; kept in the history and in the receipt.', optional: true, min: 1, max: 2000 })
  reason?: string;

  @Text({
    about: 'With provisioned: the name of the new tenant, where it is not to be the one asked for.',
    optional: true,
    max: 120,
    pattern: ASKED_TENANT_NAME,
  })
  newTenantId?: string;

  @Choice({
    about: 'With provisioned: its tier, where it is not to be the one asked for; free where none was.',
    values: TIERS,
    optional: true,
  })
  tier?: Tier;
}

export class ProvisionedInvite {
  @Text({ about: "Accepts the owner's invitation, once.", min: 16 })
  inviteToken!: string;

  @Text({ about: 'A page where it can be accepted. Also mailed to the requester, where SVC_SMTP_URL is set.' })
  inviteUrl!: string;

  @DateTime({ about: 'Until when it can be accepted: 7 days.' })
  expiresAt!: string;
}

export class ProvisionedTenant {
  @Text({ about: 'The new tenant.' })
  tenant_id!: string;

  @Choice({ about: 'Its tier.', values: TIERS })
  tier!: Tier;

  @Text({ about: 'Its first API key. Shown in this answer alone; only its hash is stored.' })
  api_key!: string;

  @Nested({ about: "The owner's invitation.", type: () => ProvisionedInvite })
  invite!: ProvisionedInvite;
}

export class AccessRequestDecided extends AccessRequest {
  @Nested({ about: 'What was made. In the answer that made it alone.', type: () => ProvisionedTenant, optional: true })
  provisioned?: ProvisionedTenant;
}
