import { Inject, Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { SETTINGS, type Settings } from '../../../../common/config/settings.js';
import type { TenantCaller } from '../../../../common/contract/caller.js';
import { EvidenceService } from '../../../../common/evidence-log/evidence.service.js';
import { decodeCursor, takePage } from '../../../../common/fields/cursor.js';
import { Outbox } from '../../../../common/outbox/outbox.js';
import { invalidMembers } from '../../../../common/problem/common-problems.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { Throttle } from '../../../../common/throttle/throttle.js';
import { AccessRequestTransitionRefused, AccessRequestUnknown, TooManyRequests } from '../frontdoor.problems.js';
import type {
  AccessRequestDecided,
  AccessRequestList,
  AccessRequestListQuery,
  AccessRequestStatusUpdate,
  FrontdoorAccessRequestCreate,
  FrontdoorAccessRequestReceipt,
} from './access-requests.dto.js';
import { nextStates } from './access-requests.rules.js';
import { AccessRequestsStore } from './access-requests.store.js';
import type { AccessRequestRow, Decision } from './access-requests.types.js';
import { toAccessRequest } from './access-requests.views.js';
import { ProvisioningService } from './provisioning.service.js';

/** An address may send five requests, then one a minute, then ever fewer. */
const ALLOWANCE = { free: 5, firstSeconds: 60, maxSeconds: 3600 };

/** Takes requests for access in, and lets the tenant that operates this server decide on them. */
@Injectable()
export class AccessRequestsService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly store: AccessRequestsStore,
    private readonly provisioning: ProvisioningService,
    private readonly throttle: Throttle,
    private readonly outbox: Outbox,
    private readonly evidence: EvidenceService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @param address where it comes from @throws TooManyRequests */
  async submit(body: FrontdoorAccessRequestCreate, address: string): Promise<FrontdoorAccessRequestReceipt> {
    const wait = await this.throttle.admitRequest('access request', address, ALLOWANCE);
    if (wait > 0) throw new TooManyRequests({ retryAfterSec: wait }, `Try again in ${wait} s`);
    // The rows are the operating tenant's own: no other tenant's owner sees who applied.
    return this.tenancy.run(this.settings.bootstrap.tenantId, async () => {
      const row = await this.store.record({
        request_id: uuid(),
        audience: body.audience,
        requester_email: body.requesterEmail,
        requester_name: body.requesterName ?? null,
        company_name: body.companyName ?? null,
        wanted_tenant_id: body.tenantId ?? null,
        default_agent_id: body.defaultAgentId ?? null,
        api_key_provided: body.apiKeyProvided,
        wanted_tier: body.requestedUserLevel ?? null,
        use_case: body.useCase ?? null,
        notes: body.notes ?? null,
      });
      const { request_id: requestId, status, submitted_at } = row;
      const data = { requestId, audience: row.audience };
      await this.outbox.emit({ kind: 'access_request.submitted', subject: requestId, data });
      return { requestId, status, submittedAt: submitted_at.toISOString() };
    });
  }

  async list(caller: TenantCaller, query: AccessRequestListQuery): Promise<AccessRequestList> {
    const { limit, cursor, status, audience, email } = query;
    const after = decodeCursor(cursor, ['uuid'])?.[0];
    return this.tenancy.run(caller.tenantId, async () => {
      const rows = await this.store.list({ status, audience, email }, after, limit + 1);
      const { page, next_cursor } = takePage(rows, limit, (row) => [row.request_id]);
      const changes = await this.store.listChanges(page.map(({ request_id }) => request_id));
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
      const request = await this.store.lock(requestId);
      if (!request) throw new AccessRequestUnknown({ requestId }, 'GET /v1/org/access-requests lists them');
      const { status: from } = request;
      if (!nextStates(from).includes(update.status)) throw refusal(request, update.status);
      const provisioned =
        update.status === 'provisioned' ? await this.provisioning.provision(caller, request, update) : undefined;
      const decision = {
        from,
        to: update.status,
        principal: caller.principal,
        reason: update.reason ?? null,
        provisionedTenantId: provisioned?.tenant_id ?? null,
      };
      const decided = await this.store.decide(requestId, decision);
      const changes = await this.store.listChanges([requestId]);
      await this.publish(caller, requestId, decision);
      return { ...toAccessRequest(decided, changes), provisioned };
    });
  }

  /** Last in the unit of work: the receipt keeps others waiting. */
  private async publish(caller: TenantCaller, requestId: string, decision: Decision): Promise<void> {
    const { from, to, principal: actor, reason, provisionedTenantId } = decision;
    await this.outbox.emit({
      kind: `access_request.${to}`,
      subject: requestId,
      data: { requestId, from, to, provisionedTenantId, actor },
    });
    await this.evidence.record({
      kind: `access_request.${to}`,
      actor,
      authMode: caller.authType,
      subject: requestId,
      body: { from, to, reason, provisioned_tenant_id: provisionedTenantId },
    });
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

function refusal(
  { request_id: requestId, status: from }: AccessRequestRow,
  wanted: string,
): AccessRequestTransitionRefused {
  const allowed = nextStates(from);
  const next = allowed.length > 0 ? `it can go to ${allowed.join(', ')}` : 'that is final';
  return new AccessRequestTransitionRefused(
    { requestId, from, allowed },
    `It is ${from}, and cannot become ${wanted}: ${next}`,
  );
}
