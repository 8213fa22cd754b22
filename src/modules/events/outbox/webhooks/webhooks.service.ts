import { Inject, Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { SETTINGS, type Settings } from '../../../../common/config/settings.js';
import type { TenantCaller } from '../../../../common/contract/caller.js';
import { EvidenceService } from '../../../../common/evidence-log/evidence.service.js';
import { decodeCursor, takePage } from '../../../../common/fields/cursor.js';
import type { PageQuery } from '../../../../common/fields/page.dto.js';
import { Outbox } from '../../../../common/outbox/outbox.js';
import { invalid } from '../../../../common/problem/common-problems.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { faultOfName, faultOfTarget } from './targets.rules.js';
import { WebhookSecrets } from './webhook-secrets.js';
import type {
  Webhook,
  WebhookCreated,
  WebhookDeleted,
  WebhookList,
  WebhookRequest,
  WebhookSecret,
} from './webhooks.dto.js';
import { WebhookLimitReached, WebhookUnknown } from './webhooks.problems.js';
import { WebhooksStore, type EndpointRow } from './webhooks.store.js';
import type { EndpointSecret, NewEndpoint } from './webhooks.types.js';

/** Webhooks of a tenant, not counting those of its watches. */
const MAX_WEBHOOKS = 20;
const OVERLAP_HOURS = 24;
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
    private readonly outbox: Outbox,
    private readonly evidence: EvidenceService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws ValidationFailed naming body.url or body.kinds; WebhookLimitReached */
  async record(caller: TenantCaller, { url, kinds, description }: WebhookRequest): Promise<WebhookCreated> {
    kinds.forEach((kind, index) => {
      if (!KIND.test(kind))
        throw invalid(`body.kinds[${index}]`, 'must be a kind such as seat.invited, or a family such as seat.*');
    });
    if ((await this.store.countLocked()) >= MAX_WEBHOOKS) {
      throw new WebhookLimitReached({ limit: MAX_WEBHOOKS }, 'Delete a webhook that is not needed any more');
    }
    return this.make(caller, { url, kinds, description }, 'body.url');
  }

  /** For a module that sends its own events to an address. @param member the member that held the address */
  async bind(caller: TenantCaller, endpoint: NewEndpoint, member: string): Promise<EndpointSecret> {
    const { webhookId, secret } = await this.make(caller, endpoint, member);
    return { webhookId, secret };
  }

  /** Ends the endpoints that are bound to a watch. */
  async unbind(caller: TenantCaller, watchId: string): Promise<void> {
    await this.store.withdraw({ watchId }, caller.principal);
  }

  list(caller: TenantCaller, { limit, cursor }: PageQuery): Promise<WebhookList> {
    const after = decodeCursor(cursor, ['uuid'])?.[0];
    return this.tenancy.run(caller.tenantId, async () => {
      const rows = await this.store.list(after, limit + 1);
      const { page, next_cursor } = takePage(rows, limit, (row) => [row.endpoint_id]);
      return { webhooks: page.map(webhookOf), next_cursor };
    });
  }

  async withdraw(caller: TenantCaller, webhookId: string): Promise<WebhookDeleted> {
    const [ended] = await this.store.withdraw({ endpointId: webhookId }, caller.principal);
    if (!ended) throw unknown(webhookId);
    await this.publish(caller, 'webhook.deleted', webhookId, {});
    return { webhookId, deletedAt: ended.deleted_at.toISOString() };
  }

  async rotateSecret(caller: TenantCaller, webhookId: string): Promise<WebhookSecret> {
    if (!(await this.store.find(webhookId, true))) throw unknown(webhookId);
    const secret = this.secrets.mint();
    const sealed = await this.secrets.seal(caller.tenantId, webhookId, secret);
    const until = await this.store.rotate(webhookId, sealed, OVERLAP_HOURS);
    await this.publish(caller, 'webhook.secret_rotated', webhookId, {});
    return { webhookId, secret, previousSecretValidUntil: until.toISOString() };
  }

  private async make(caller: TenantCaller, endpoint: NewEndpoint, member: string): Promise<WebhookCreated> {
    const { url, kinds = [], description = null, watchId = null } = endpoint;
    await this.checkTarget(url, member);
    const endpointId = uuid();
    const secret = this.secrets.mint();
    const sealed = await this.secrets.seal(caller.tenantId, endpointId, secret);
    const row = await this.store.record({
      endpointId,
      url,
      description,
      kinds,
      watchId,
      secret: sealed,
      createdBy: caller.principal,
    });
    await this.publish(caller, 'webhook.created', endpointId, { host: new URL(url).host, kinds, watchId });
    return { ...webhookOf(row), secret };
  }

  private async checkTarget(url: string, member: string): Promise<void> {
    const isPrivateAllowed = this.settings.outbox.allowPrivateTargets || this.settings.process.nodeEnv !== 'production';
    const fault = faultOfTarget(url, isPrivateAllowed) ?? (isPrivateAllowed ? undefined : await faultOfName(url));
    if (fault) throw invalid(member, fault);
  }

  private async publish(caller: TenantCaller, kind: string, webhookId: string, data: object): Promise<void> {
    await this.outbox.emit({ kind, subject: webhookId, data: { webhookId, actor: caller.principal, ...data } });
    await this.evidence.record({
      kind,
      actor: caller.principal,
      authMode: caller.authType,
      subject: webhookId,
      body: { webhook_id: webhookId, ...data },
    });
  }
}

export const unknown = (webhookId: string): WebhookUnknown =>
  new WebhookUnknown({ webhookId }, 'GET /v1/org/webhooks lists those there are');

const webhookOf = (row: EndpointRow): Webhook => ({
  webhookId: row.endpoint_id,
  url: row.url,
  kinds: row.kinds,
  description: row.description,
  watchId: row.watch_id,
  status: row.disabled_at ? 'disabled' : 'active',
  disabledReason: row.disabled_reason,
  createdBy: row.created_by,
  createdAt: row.created_at.toISOString(),
});
