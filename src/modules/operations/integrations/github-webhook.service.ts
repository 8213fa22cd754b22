import { Injectable, type Type } from '@nestjs/common';
import { readBodyAs } from '../../../common/fields/contract.pipe.js';
import { AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { readJson } from '../../../common/http/json-body.js';
import { invalid, Unauthorized } from '../../../common/problem/common-problems.js';
import { CrossTenant } from '../../../common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { TenantRegistry } from '../../../guards/tenant-registry.js';
import { WorkLinksService } from '../../coordination/work/work-links.service.js';
import { GithubDeliveryRow } from './github-delivery.entity.js';
import { IssuesEvent, PullRequestEvent } from './github-events.dto.js';
import { noteOf, refsOf, reportedBy } from './github-events.rules.js';
import { GithubIntegrationRow } from './github-integration.entity.js';
import { GithubItemRow } from './github-item.entity.js';
import { GithubSecrets } from './github-secrets.js';
import { isSignature, isSignedByGithub } from './github-signature.rules.js';
import type { DeliveryTaken } from './integrations.dto.js';
import { itemChange } from './integrations.events.js';
import type { DeliveryOutcome, ReportedItem } from './integrations.types.js';

/** Who acts when GitHub reports; its comments bear the passport. */
const GITHUB = { principal: 'svc:github', authType: 'webhook_signature' };
const PASSPORT = 'github';
const EVENTS: ReadonlyMap<string | undefined, Type<IssuesEvent | PullRequestEvent>> = new Map<
  string,
  Type<IssuesEvent | PullRequestEvent>
>([
  ['issues', IssuesEvent],
  ['pull_request', PullRequestEvent],
]);
const DELIVERY_ID = /^[\w-]{1,100}$/;

/** The headers of a delivery. */
export interface DeliveryHeaders {
  signature: string | undefined;
  event: string | undefined;
  delivery: string | undefined;
}

/**
 * What GitHub reports of issues and pull requests: the later state of each stands, and the work items that name it get
 * a comment when it changes. An item is never moved: who closes an issue decides nothing of the tenant's board.
 */
@Injectable()
export class GithubWebhookService {
  private readonly integrations: TenantRepository<GithubIntegrationRow>;
  private readonly deliveries: TenantRepository<GithubDeliveryRow>;
  private readonly items: TenantRepository<GithubItemRow>;

  constructor(
    private readonly tenancy: Tenancy,
    private readonly crossTenant: CrossTenant,
    private readonly registry: TenantRegistry,
    private readonly secrets: GithubSecrets,
    private readonly work: WorkLinksService,
    private readonly audit: AuditTrail,
  ) {
    this.integrations = new TenantRepository(tenancy, GithubIntegrationRow);
    this.deliveries = new TenantRepository(tenancy, GithubDeliveryRow);
    this.items = new TenantRepository(tenancy, GithubItemRow);
  }

  /** @throws Unauthorized before a byte of the body is interpreted, unless the signature covers it */
  async receive(id: string, { signature, event, delivery }: DeliveryHeaders, body: Buffer): Promise<DeliveryTaken> {
    const tenantId = await this.authenticate(id, signature, body);
    await this.registry.checkReadable(tenantId);
    if (!DELIVERY_ID.test(delivery ?? '')) throw invalid('headers.x-github-delivery', 'must be the id of the delivery');
    const type = EVENTS.get(event);
    const reported = type && reportedBy(readBodyAs(type, readJson(body)));
    return this.tenancy.run(tenantId, async () => {
      // Waits for a disconnect that is under way, and makes one wait.
      if (!(await this.integrations.find({ integrationId: id }, 'no key update'))) throw refused();
      const isNew = await this.deliveries.insertNew({ integrationId: id, deliveryId: delivery! });
      if (!isNew) return { received: true, duplicate: true, outcome: 'ignored' };
      await this.integrations.update({ integrationId: id }, { lastDeliveryAt: () => 'now()' });
      return { received: true, duplicate: false, outcome: reported ? await this.take(id, reported) : 'ignored' };
    });
  }

  /** @returns the tenant @throws Unauthorized, the same for an integration that is not there */
  private async authenticate(id: string, signature: string | undefined, body: Buffer): Promise<string> {
    // Anybody may send what is not signed: it is not worth a transaction.
    if (!isSignature(signature)) throw refused();
    const [found] = await this.crossTenant.run('github webhook', (query) =>
      query<{ tenant_id: string; webhook_secret: string }>(
        'select tenant_id, webhook_secret from github_integration where integration_id = $1',
        [id],
      ),
    );
    if (!found) throw refused();
    const secret = await this.secrets.decrypt('github webhook secret', found.tenant_id, id, found.webhook_secret);
    if (secret === undefined || !isSignedByGithub(secret, signature, body)) throw refused();
    return found.tenant_id;
  }

  /**
   * The header with the delivery's id is not signed: what was sent once may come again under another id. So it is the
   * time of the change that decides.
   */
  private async take(integrationId: string, reported: ReportedItem): Promise<DeliveryOutcome> {
    const { repositoryId, number, changedAt, state } = reported;
    await this.tenancy.lock('github item', String(repositoryId), String(number));
    const known = await this.items.find({ repositoryId, number });
    if (known && known.changedAt > changedAt) return 'stale';
    await this.items.put({ ...reported, integrationId, reportedAt: () => 'now()' }, [
      ...(['integrationId', 'kind', 'repository', 'title', 'url', 'state', 'changedAt', 'reportedAt'] as const),
    ]);
    if (known?.state === state) return 'recorded';
    const workIds = await this.work.note(GITHUB, PASSPORT, refsOf(reported), noteOf(reported));
    await this.audit.record(GITHUB, itemChange(integrationId, reported, known?.state ?? null, workIds));
    return workIds.length > 0 ? 'linked' : 'recorded';
  }
}

const refused = (): Unauthorized =>
  new Unauthorized(
    {},
    'headers.x-hub-signature-256 must be sha256=<hex HMAC-SHA256 of the body> with the secret of an integration that is connected',
  );
