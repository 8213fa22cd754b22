import { Injectable } from '@nestjs/common';
import { v4 as uuid } from 'uuid';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { decodeCursor, takePage } from '../../../common/fields/cursor.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { GithubClient } from './github-client.service.js';
import { GithubIntegrationRow } from './github-integration.entity.js';
import { GithubSecrets } from './github-secrets.js';
import type {
  ConnectedGithub,
  ConnectGithub,
  DisconnectedIntegration,
  IntegrationList,
  IntegrationReply,
  IntegrationsQuery,
} from './integrations.dto.js';
import { integrationChange } from './integrations.events.js';
import { IntegrationsFull, IntegrationUnknown, TokenRefused } from './integrations.problems.js';
import type { GithubAccount } from './integrations.types.js';
import { integrationOf } from './integrations.views.js';

const MAX_INTEGRATIONS = 20;

/** Accounts of GitHub that a tenant has connected. A token is shown to nobody once it is here. */
@Injectable()
export class IntegrationsService {
  private readonly rows: TenantRepository<GithubIntegrationRow>;

  constructor(
    private readonly tenants: TenantResolver,
    private readonly tenancy: Tenancy,
    private readonly github: GithubClient,
    private readonly secrets: GithubSecrets,
    private readonly audit: AuditTrail,
  ) {
    this.rows = new TenantRepository(tenancy, GithubIntegrationRow);
  }

  /**
   * Of an account that is there already the token is exchanged.
   * @throws TokenRefused, GithubUnavailable, IntegrationsFull
   */
  async connect(caller: DaemonCaller, request: ConnectGithub): Promise<ConnectedGithub> {
    const { token, tenant_id, new_webhook_secret: isRenewed } = request;
    // Whether the caller may write there is known before GitHub is asked, and no transaction waits for it.
    await this.tenants.write(caller, tenant_id, () => Promise.resolve());
    const account = await this.github.readAccount(token);
    return this.tenants.write(caller, tenant_id, async () => {
      await this.tenancy.lock('github integrations');
      const known = await this.rows.find({ accountId: account.accountId });
      if (!known) await this.checkCount();
      const id = known?.integrationId ?? uuid();
      const secret = known && !isRenewed ? null : this.secrets.mint();
      const row = await this.store(caller, id, known, { account, token, secret });
      const facts = { replaced: known !== undefined, newWebhookSecret: secret !== null };
      const { receiptId } = await this.audit.record(caller, integrationChange('connected', row, facts));
      return {
        ...{ integration: integrationOf(row), created: !known, webhook_secret: secret, receipt_id: receiptId },
      };
    });
  }

  list(caller: DaemonCaller, { tenant_id, limit, cursor }: IntegrationsQuery): Promise<IntegrationList> {
    const after = decodeCursor(cursor, ['uuid']);
    return this.tenants.run(caller, tenant_id, async () => {
      const rows = await this.rows.list({}, { order: { integrationId: 'asc' }, after, take: limit + 1 });
      const { page, has_more, next_cursor } = takePage(rows, limit, ({ integrationId }) => [integrationId]);
      const integrations = page.map(integrationOf);
      return { integrations, count: page.length, has_more, next_cursor };
    });
  }

  /** Asks GitHub whether the token still holds. @throws IntegrationUnknown, TokenRefused, GithubUnavailable */
  async check(caller: DaemonCaller, id: string, tenantId: string | undefined): Promise<IntegrationReply> {
    const found = await this.tenants.run(caller, tenantId, async () => ({
      tenant: this.tenancy.tenant,
      row: await this.rows.select('one', { integrationId: id }).addSelect('one.token').getOne(),
    }));
    if (!found.row) throw unknown(id);
    const token = await this.secrets.decrypt('github token', found.tenant, id, found.row.token);
    if (token === undefined)
      throw new TokenRefused({}, 'It was sealed under another secret of the server; connect the account again');
    const { accountId: _, ...account } = await this.github.readAccount(token);
    return this.tenants.write(caller, tenantId, async () => {
      const [row] = await this.rows.update({ integrationId: id }, { ...account, checkedAt: () => 'now()' });
      if (!row) throw unknown(id);
      return { integration: integrationOf(row) };
    });
  }

  /** Its token, its secret and what webhooks reported go with it. @throws IntegrationUnknown */
  disconnect(caller: DaemonCaller, id: string, tenantId: string | undefined): Promise<DisconnectedIntegration> {
    return this.tenants.write(caller, tenantId, async () => {
      const row = await this.rows.find({ integrationId: id }, 'update');
      if (!row) throw unknown(id);
      await this.rows.delete({ integrationId: id });
      const { receiptId } = await this.audit.record(caller, integrationChange('disconnected', row));
      return { integration: integrationOf(row), receipt_id: receiptId };
    });
  }

  private async store(
    { principal }: DaemonCaller,
    integrationId: string,
    known: GithubIntegrationRow | undefined,
    { account, token, secret }: { account: GithubAccount; token: string; secret: string | null },
  ): Promise<GithubIntegrationRow> {
    const { tenant } = this.tenancy;
    const values = {
      ...account,
      token: await this.secrets.encrypt('github token', tenant, integrationId, token),
      ...(secret !== null && {
        webhookSecret: await this.secrets.encrypt('github webhook secret', tenant, integrationId, secret),
      }),
      connectedBy: principal,
      connectedAt: () => 'now()',
      checkedAt: () => 'now()',
    };
    return known ? this.rows.updateOne({ integrationId }, values) : this.rows.insert({ integrationId, ...values });
  }

  private async checkCount(): Promise<void> {
    if ((await this.rows.count({})) < MAX_INTEGRATIONS) return;
    throw new IntegrationsFull({ limit: MAX_INTEGRATIONS }, `They are at most ${MAX_INTEGRATIONS}; disconnect one`);
  }
}

const unknown = (integration_id: string): IntegrationUnknown =>
  new IntegrationUnknown({ integration_id }, 'GET /v1/integrations lists those there are');
