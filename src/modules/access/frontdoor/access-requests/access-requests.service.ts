import { Inject, Injectable } from '@nestjs/common';
import { In, Raw } from 'typeorm';
import { uuid } from '../../../../common/ids/uuid.js';
import { SETTINGS, type Settings } from '../../../../common/config/settings.js';
import type { TenantCaller } from '../../../../common/contract/caller.js';
import { AuditTrail } from '../../../../common/evidence-log/audit-trail.js';
import { decodeCursor, takePage } from '../../../../common/fields/cursor.js';
import { Outbox } from '../../../../common/outbox/outbox.js';
import { invalidMembers } from '../../../../common/problem/common-problems.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../../common/tenancy/tenant-repository.js';
import { Throttle } from '../../../../common/throttle/throttle.js';
import { AccessRequestTransitionRefused, AccessRequestUnknown, TooManyRequests } from '../frontdoor.problems.js';
import { AccessRequestChangeRow } from './access-request-change.entity.js';
import { AccessRequestRow } from './access-request.entity.js';
import type {
  AccessRequestDecided,
  AccessRequestList,
  AccessRequestListQuery,
  AccessRequestStatusUpdate,
  FrontdoorAccessRequestCreate,
  FrontdoorAccessRequestReceipt,
} from './access-requests.dto.js';
import { nextStates } from './access-requests.rules.js';
import { toAccessRequest } from './access-requests.views.js';
import { ProvisioningService } from './provisioning.service.js';

/** An address may send five requests, then one a minute, then ever fewer. */
const ALLOWANCE = { free: 5, firstSeconds: 60, maxSeconds: 3600 };

/** Takes requests for access in, and lets the tenant that operates this server decide on them. */
@Injectable()
export class AccessRequestsService {
  private readonly requests: TenantRepository<AccessRequestRow>;
  private readonly changes: TenantRepository<AccessRequestChangeRow>;

  constructor(
    private readonly tenancy: Tenancy,
    private readonly provisioning: ProvisioningService,
    private readonly throttle: Throttle,
    private readonly outbox: Outbox,
    private readonly audit: AuditTrail,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    this.requests = new TenantRepository(tenancy, AccessRequestRow);
    this.changes = new TenantRepository(tenancy, AccessRequestChangeRow);
  }

  /** @param address where it comes from @throws TooManyRequests */
  async submit(body: FrontdoorAccessRequestCreate, address: string): Promise<FrontdoorAccessRequestReceipt> {
    const wait = await this.throttle.admitRequest('access request', address, ALLOWANCE);
    if (wait > 0) throw new TooManyRequests({ retryAfterSec: wait }, `Try again in ${wait} s`);
    const { tenantId: wantedTenantId, requestedUserLevel: wantedTier, ...asked } = body;
    // The rows are the operating tenant's own: no other tenant's owner sees who applied.
    return this.tenancy.run(this.settings.bootstrap.tenantId, async () => {
      const row = await this.requests.insert({ ...asked, requestId: uuid(), wantedTenantId, wantedTier });
      const { requestId, status, audience, submittedAt } = row;
      const data = { requestId, audience };
      this.outbox.emit({ kind: 'access_request.submitted', subject: requestId, data });
      return { requestId, status, submittedAt: submittedAt.toISOString() };
    });
  }

  async list(caller: TenantCaller, query: AccessRequestListQuery): Promise<AccessRequestList> {
    const { limit, cursor, status, audience, email } = query;
    const requesterEmail = email && Raw((column) => `lower(${column}) = lower(:email)`, { email });
    const position = { order: { requestId: 'desc' }, after: decodeCursor(cursor, ['uuid']), take: limit + 1 } as const;
    return this.tenancy.run(caller.tenantId, async () => {
      const rows = await this.requests.list({ status, audience, requesterEmail }, position);
      const { page, next_cursor } = takePage(rows, limit, ({ requestId }) => [requestId]);
      const changes = await this.listChanges(page.map(({ requestId }) => requestId));
      return { accessRequests: page.map((row) => toAccessRequest(row, changes)), next_cursor };
    });
  }

  /** @throws AccessRequestUnknown, AccessRequestTransitionRefused, ValidationFailed, TenantTaken */
  async decide(
    caller: TenantCaller,
    requestId: string,
    update: AccessRequestStatusUpdate,
  ): Promise<AccessRequestDecided> {
    checkChoices(update);
    return this.tenancy.run(caller.tenantId, async () => {
      const request = await this.requests.find({ requestId }, 'update');
      if (!request) throw new AccessRequestUnknown({ requestId }, 'GET /v1/org/access-requests lists them');
      const { status: from } = request;
      if (!nextStates(from).includes(update.status)) throw refusal(request, update.status);
      const provisioned =
        update.status === 'provisioned' ? await this.provisioning.provision(caller, request, update) : undefined;
      const { status: to, reason = null } = update;
      const facts = { from, to, provisionedTenantId: provisioned?.tenant_id ?? null };
      const change = { requestId, fromStatus: from, toStatus: to, changedBy: caller.principal, reason };
      await this.changes.insert({ ...change, changedAt: () => 'now()' });
      const { provisionedTenantId } = facts;
      const state = { status: to, provisionedTenantId, updatedAt: () => 'now()' };
      const decided = await this.requests.updateOne({ requestId }, state);
      const changes = await this.listChanges([requestId]);
      await this.audit.record(caller, {
        kind: `access_request.${to}`,
        subject: requestId,
        facts,
        event: { requestId },
        receipt: { reason },
      });
      return { ...toAccessRequest(decided, changes), provisioned };
    });
  }

  /** Oldest first. */
  private listChanges(requestIds: string[]): Promise<AccessRequestChangeRow[]> {
    return this.changes.list({ requestId: In(requestIds) }, { order: { changeId: 'asc' } });
  }
}

/** What says how the tenant is made is of no meaning for another decision. @throws ValidationFailed */
function checkChoices(update: AccessRequestStatusUpdate): void {
  if (update.status === 'provisioned') return;
  const message = 'is for the status provisioned alone; leave it out';
  const issues = (['newTenantId', 'tier'] as const)
    .filter((name) => update[name] !== undefined)
    .map((name) => ({ path: `body.${name}`, message }));
  if (issues.length > 0) throw invalidMembers(issues);
}

function refusal({ requestId, status: from }: AccessRequestRow, wanted: string): AccessRequestTransitionRefused {
  const allowed = nextStates(from);
  const next = allowed.length > 0 ? `it can go to ${allowed.join(', ')}` : 'that is final';
  return new AccessRequestTransitionRefused(
    { requestId, from, allowed },
    `It is ${from}, and cannot become ${wanted}: ${next}`,
  );
}
