import { Inject, Injectable } from '@nestjs/common';
import { uuid } from '../../../../common/ids/uuid.js';
import { SETTINGS, type Settings } from '../../../../common/config/settings.js';
import type { TenantCaller } from '../../../../common/contract/caller.js';
import { AuditTrail } from '../../../../common/evidence-log/audit-trail.js';
import { decodeCursor, takePage } from '../../../../common/fields/cursor.js';
import type { PageQuery } from '../../../../common/fields/page.dto.js';
import { invalid } from '../../../../common/problem/common-problems.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { faultOfName, faultOfTarget } from '../../../../common/http/public-targets.js';
import { WebhookSecrets } from './webhook-secrets.js';
import type { WebhookCreated, WebhookDeleted, WebhookList, WebhookRequest, WebhookSecret } from './webhooks.dto.js';
import { WebhookLimitReached, WebhookUnknown } from './webhooks.problems.js';
import { WebhooksStore } from './webhooks.store.js';
import type { EndpointSecret, NewEndpoint } from './webhooks.types.js';
import { toWebhook } from './webhooks.views.js';

/** Webhooks of a tenant, not counting those of its watches. */
const MAX_WEBHOOKS = 20;
const KIND = /^([a-z0-9_]+\.)*([a-z0-9_]+|\*)$/;

/**
 * Registers webhook endpoints. A caller that may read a tenant's events by the events route may also subscribe to them.
 */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: WebhooksStore,
    private readonly secrets: WebhookSecrets,
    private readonly audit: AuditTrail,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws ValidationFailed naming body.url or body.kinds; WebhookLimitReached */
  async record(caller: TenantCaller, { url, kinds, description }: WebhookRequest): Promise<WebhookCreated> {
    kinds.forEach((kind, index) => {
      if (!KIND.test(kind))
        throw invalid(`body.kinds[${index}]`, 'must be a kind such as seat.invited, or a family such as seat.*');
    });
    // Before the lock: whoever waits for a name must not keep the tenant's other requests waiting as well.
    await this.checkTarget(url, 'body.url');
    if ((await this.store.countLocked()) >= MAX_WEBHOOKS) {
      throw new WebhookLimitReached({ limit: MAX_WEBHOOKS }, 'Delete a webhook that is not needed any more');
    }
    return this.make(caller, { url, kinds, description });
  }

  /** For a module that sends its own events to an address. @param member the member that held the address */
  async bind(caller: TenantCaller, endpoint: NewEndpoint, member: string): Promise<EndpointSecret> {
    await this.checkTarget(endpoint.url, member);
    const { webhookId, secret } = await this.make(caller, endpoint);
    return { webhookId, secret };
  }

  /** Ends the endpoints that are bound to a watch. */
  async unbind(caller: TenantCaller, watchId: string): Promise<void> {
    await this.store.withdraw({ watchId }, caller.principal);
  }

  list(caller: TenantCaller, { limit, cursor }: PageQuery): Promise<WebhookList> {
    const after = decodeCursor(cursor, ['uuid']);
    return this.tenancy.run(caller.tenantId, async () => {
      const rows = await this.store.list(after, limit + 1);
      const { page, next_cursor } = takePage(rows, limit, (row) => [row.endpointId]);
      return { webhooks: page.map(toWebhook), next_cursor };
    });
  }

  async withdraw(caller: TenantCaller, webhookId: string): Promise<WebhookDeleted> {
    const [ended] = await this.store.withdraw({ endpointId: webhookId }, caller.principal);
    if (!ended) throw unknown(webhookId);
    await this.audit.record(caller, { kind: 'webhook.deleted', subject: webhookId, facts: { webhookId } });
    return { webhookId, deletedAt: ended.deletedAt!.toISOString() };
  }

  async rotateSecret(caller: TenantCaller, webhookId: string): Promise<WebhookSecret> {
    const secret = this.secrets.mint();
    const encrypted = await this.secrets.encrypt(caller.tenantId, webhookId, secret);
    const rotated = await this.store.rotate(webhookId, encrypted);
    if (!rotated) throw unknown(webhookId);
    await this.audit.record(caller, { kind: 'webhook.secret_rotated', subject: webhookId, facts: { webhookId } });
    return { webhookId, secret, previousSecretValidUntil: rotated.previousUntil!.toISOString() };
  }

  private async make(caller: TenantCaller, endpoint: NewEndpoint): Promise<WebhookCreated> {
    const { url, kinds = [], description = null, watchId = null } = endpoint;
    const endpointId = uuid();
    const secret = this.secrets.mint();
    const encrypted = await this.secrets.encrypt(caller.tenantId, endpointId, secret);
    const row = await this.store.record({
      endpointId,
      url,
      description,
      kinds,
      watchId,
      secret: encrypted,
      createdBy: caller.principal,
    });
    const facts = { webhookId: endpointId, host: new URL(url).host, kinds };
    // watchId is spelt in receipts as it is in events.
    const both = { event: { watchId }, receipt: { watchId } };
    await this.audit.record(caller, { kind: 'webhook.created', subject: endpointId, facts, ...both });
    return { ...toWebhook(row), secret };
  }

  private async checkTarget(url: string, member: string): Promise<void> {
    const isPrivateAllowed = this.settings.outbox.allowPrivateTargets || this.settings.process.nodeEnv !== 'production';
    const fault = faultOfTarget(url, isPrivateAllowed) ?? (isPrivateAllowed ? undefined : await faultOfName(url));
    if (fault) throw invalid(member, fault);
  }
}

export const unknown = (webhookId: string): WebhookUnknown =>
  new WebhookUnknown({ webhookId }, 'GET /v1/org/webhooks lists those there are');
