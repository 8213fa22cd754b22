import {
  Choice,
  DateTime,
  Flag,
  Integer,
  ListOf,
  Nested,
  Text,
  TextList,
  Uuid,
} from '../../../common/fields/fields.js';
import { HasMore, NextCursor, PageCount, PageQuery } from '../../../common/fields/page.dto.js';
import { TenantIdMember } from '../../../common/fields/shared-members.js';
import {
  DELIVERY_OUTCOMES,
  GITHUB_ITEM_KINDS,
  GITHUB_ITEM_STATES,
  type DeliveryOutcome,
  type GithubItemKind,
  type GithubItemState,
} from './integrations.types.js';

const PROVIDERS = ['github'] as const;
/** What tokens of GitHub are made of. */
const TOKEN = /^[A-Za-z0-9_.-]+$/;

const TenantId = () =>
  TenantIdMember('The tenant that is meant; that of the credential when absent.', { optional: true });

export class IntegrationPath {
  @Uuid({ about: 'The integration.' })
  id!: string;
}

export class TenantQuery {
  @TenantId()
  tenant_id?: string;
}

export class IntegrationsQuery extends PageQuery {
  @TenantId()
  tenant_id?: string;
}

export class ConnectGithub {
  @Text({
    about: 'A personal access token of GitHub, classic or fine-grained. It is checked, sealed, and never shown again.',
    min: 10,
    max: 255,
    pattern: TOKEN,
    example: 'github_pat_1',
  })
  token!: string;

  @Flag({
    about:
      'Of an account that is connected already: make another secret for its webhooks. The one before ends at once.',
    default: false,
  })
  new_webhook_secret!: boolean;

  @TenantId()
  tenant_id?: string;
}

export class Integration {
  @Uuid({ about: 'Its id.' })
  id!: string;

  @Choice({ about: 'What it is of.', values: PROVIDERS })
  provider!: 'github';

  @Text({ about: 'The login of the account whose token it is.' })
  account!: string;

  @Integer({ about: 'The number that GitHub gives that account.', min: 1 })
  account_id!: number;

  @TextList({ about: 'What a classic token may do, as GitHub says; none of a fine-grained one.' })
  token_scopes!: string[];

  @DateTime({ about: 'When the token expires; null: it does not, or GitHub does not say so.', nullable: true })
  token_expires_at!: string | null;

  @Text({ about: 'Where GitHub is to send webhooks, after the address of this server.' })
  webhook_path!: string;

  @Text({ about: 'The principal that connected it.' })
  connected_by!: string;

  @DateTime({ about: 'When.' })
  connected_at!: string;

  @DateTime({ about: 'When GitHub took the token last.' })
  checked_at!: string;

  @DateTime({ about: 'When a webhook came last; null: none so far.', nullable: true })
  last_delivery_at!: string | null;
}

export class IntegrationReply {
  @Nested({ about: 'The integration.', type: () => Integration })
  integration!: Integration;
}

export class ConnectedGithub extends IntegrationReply {
  @Flag({ about: 'Whether the account is new; false: the token took the place of the one before.' })
  created!: boolean;

  @Text({
    about: 'The secret of its webhooks, shown this once; null: the one of before goes on.',
    nullable: true,
  })
  webhook_secret!: string | null;

  @Uuid({ about: 'The signed receipt.' })
  receipt_id!: string;
}

export class DisconnectedIntegration extends IntegrationReply {
  @Uuid({ about: 'The signed receipt.' })
  receipt_id!: string;
}

export class IntegrationList {
  @ListOf({ about: 'The integrations, by their ids.', type: () => Integration })
  integrations!: Integration[];

  @PageCount()
  count!: number;

  @HasMore()
  has_more!: boolean;

  @NextCursor()
  next_cursor!: string | null;
}

export class GithubItemsQuery extends IntegrationsQuery {
  @Choice({ about: 'Only issues, or pull requests.', values: GITHUB_ITEM_KINDS, optional: true })
  kind?: GithubItemKind;

  @Choice({ about: 'Only those in this state.', values: GITHUB_ITEM_STATES, optional: true })
  state?: GithubItemState;
}

export class GithubItem {
  @Choice({ about: 'What it is.', values: GITHUB_ITEM_KINDS })
  kind!: GithubItemKind;

  @Text({ about: 'owner/name.' })
  repository!: string;

  @Integer({ about: 'Its number in the repository.', min: 1 })
  number!: number;

  @Text({ about: 'Its title, as whoever wrote it on GitHub put it.' })
  title!: string;

  @Text({ about: 'Its page.' })
  url!: string;

  @Choice({
    about: 'Its state. deleted: also of an issue that went to another repository.',
    values: GITHUB_ITEM_STATES,
  })
  state!: GithubItemState;

  @TextList({ about: 'The work items whose linked_issue or linked_pr names it.' })
  work_ids!: string[];

  @DateTime({ about: 'When it changed on GitHub.' })
  changed_at!: string;

  @DateTime({ about: 'When a webhook reported that.' })
  reported_at!: string;
}

export class GithubItemList {
  @ListOf({ about: 'Issues and pull requests, by repository and number.', type: () => GithubItem })
  items!: GithubItem[];

  @PageCount()
  count!: number;

  @HasMore()
  has_more!: boolean;

  @NextCursor()
  next_cursor!: string | null;
}

export class DeliveryTaken {
  @Flag({ about: 'Always true: GitHub need not send it again.' })
  received!: boolean;

  @Flag({ about: 'Whether a delivery of this id was taken before; nothing was changed now.' })
  duplicate!: boolean;

  @Choice({
    about:
      'linked: its state is new, and the work items that name it got a comment. recorded: it was noted. stale: something later is known of it. ignored: another event, or a duplicate.',
    values: DELIVERY_OUTCOMES,
  })
  outcome!: DeliveryOutcome;
}
