import type { GithubIntegrationRow } from './github-integration.entity.js';
import type { GithubItemRow } from './github-item.entity.js';
import type { GithubItem, Integration } from './integrations.dto.js';

export const integrationOf = (row: GithubIntegrationRow): Integration => ({
  id: row.integrationId,
  provider: 'github',
  account: row.account,
  account_id: row.accountId,
  token_scopes: row.tokenScopes,
  token_expires_at: row.tokenExpiresAt?.toISOString() ?? null,
  webhook_path: `/v1/integrations/github/webhooks/${row.integrationId}`,
  connected_by: row.connectedBy,
  connected_at: row.connectedAt.toISOString(),
  checked_at: row.checkedAt.toISOString(),
  last_delivery_at: row.lastDeliveryAt?.toISOString() ?? null,
});

export const itemOf = (row: GithubItemRow, workIds: string[]): GithubItem => ({
  kind: row.kind,
  repository: row.repository,
  number: row.number,
  title: row.title,
  url: row.url,
  state: row.state,
  work_ids: workIds,
  changed_at: row.changedAt.toISOString(),
  reported_at: row.reportedAt.toISOString(),
});
