import type { AuditEntry } from '../../../common/evidence-log/audit-trail.js';
import type { GithubIntegrationRow } from './github-integration.entity.js';
import type { GithubItemState, ReportedItem } from './integrations.types.js';

/** Event and receipt of a connection and its end. All integrations of a tenant are one chain. */
export const integrationChange = (
  what: 'connected' | 'disconnected',
  { integrationId, account, accountId, tokenScopes }: GithubIntegrationRow,
  facts: object = {},
): AuditEntry => ({
  kind: `integration.${what}`,
  subject: integrationId,
  facts: { integrationId, provider: 'github', account, accountId, tokenScopes, ...facts },
  stream: 'integrations',
});

/** Event and receipt of another state of an issue or a pull request. */
export const itemChange = (
  integrationId: string,
  { kind, repository, number, state, changedAt }: ReportedItem,
  from: GithubItemState | null,
  workIds: readonly string[],
): AuditEntry => ({
  kind: 'integration.item_changed',
  subject: `${repository}#${number}`,
  facts: { integrationId, kind, repository, number, from, to: state, changedAt: changedAt.toISOString(), workIds },
  stream: 'integrations',
});
