import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../../common/bearer-auth/daemon-caller.js';
import { namedPassport } from '../../../../common/bearer-auth/named-passport.js';
import { invalid } from '../../../../common/problem/common-problems.js';
import { TenantResolver } from '../../../../guards/tenant-resolver.js';
import { holderOf, LeasesService } from '../../leases/leases.service.js';
import type { LeaseHolder } from '../../leases/leases.types.js';
import type { WorkItemRow } from '../work-item.entity.js';
import { checkChangeable } from '../plans/changeable.js';
import { moveName } from '../moves.rules.js';
import { WorkUnknown } from '../work.problems.js';
import type { WorkState } from '../work.types.js';
import type {
  ClaimNextRequest,
  ClaimReply,
  ClaimRequest,
  ForceReleaseRequest,
  ReleaseReply,
  ReleaseRequest,
  RenewedReply,
  RenewLeaseRequest,
  RenewRequest,
} from './claims.dto.js';
import { MoveNeedsApproval, WorkHeld, WorkNotClaimable } from './claims.problems.js';
import { fenceOf, isMoveGated, stateAfterLease, stateBeforeClaim, whyNotClaimable } from './claims.rules.js';
import { ClaimsStore } from './claims.store.js';
import type { Claimant, LockedItem } from './claims.types.js';
import { claimReply, nothingReady, releaseReply, renewedReply } from './claims.views.js';
import { GroupedLeasesService, type OfHeld } from './grouped-leases.service.js';
import { WorkLeasesService } from './work-leases.service.js';

/** Claims of work: who works on an item, until when (memory-daemon.md 4.9; D61). */
@Injectable()
export class ClaimsService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly store: ClaimsStore,
    private readonly grouped: GroupedLeasesService,
    private readonly workLeases: WorkLeasesService,
    private readonly leases: LeasesService,
  ) {}

  async claimNext(caller: DaemonCaller, request: ClaimNextRequest): Promise<ClaimReply> {
    const claimant = claimantOf(caller, request);
    const filter = { projectId: request.project_id, labels: request.labels ?? [] };
    const claimed = await this.together(
      { caller, tenant: request.tenant_id },
      (tenantId, alone) => this.grouped.claimNext(tenantId, { by: caller, claimant, filter }, alone),
      async () => {
        const next = await this.store.claimNext(filter, claimant);
        if (!next?.isClaimed) return next && this.workLeases.claim(caller, next.item, claimant);
        const { item } = next;
        return (await this.workLeases.recordClaims([{ by: caller, item, claimant, from: 'ready' }]))[0];
      },
    );
    return claimed ? claimReply(claimed) : nothingReady();
  }

  /** @throws WorkUnknown, WorkHeld, WorkNotClaimable, MoveNeedsApproval */
  claim(caller: DaemonCaller, workId: string, request: ClaimRequest): Promise<ClaimReply> {
    const claimant = claimantOf(caller, request);
    return this.tenants.write(caller, request.tenant_id, async () => {
      const { item, isLeaseLive } = await this.lock(workId);
      if (isLeaseLive) {
        if (item.leaseHolder !== claimant.holder) throw heldBy({ subject: workId, ...holdOf(item) });
        const lease = await this.workLeases.renew(caller, item, claimant.ttlSeconds);
        return claimReply({ item: { ...item, leaseExpiresAt: lease.expiresAt }, lease }, true);
      }
      // Of an item whose lease is over it is not looked at who had it.
      const why = whyNotClaimable(
        item.leaseFence === null ? item : { ...item, assigneePassport: null },
        claimant.holder,
      );
      if (why !== undefined)
        throw new WorkNotClaimable({ work_id: workId, state: item.state, open_blockers: item.openBlockers }, why);
      await this.checkUngated(item, stateBeforeClaim(item), 'in_progress');
      return claimReply(await this.workLeases.claim(caller, item, claimant));
    });
  }

  /** @throws WorkUnknown, LeaseEnded, WorkHeld */
  async renew(caller: DaemonCaller, workId: string, request: RenewRequest, fence?: number): Promise<RenewedReply> {
    const { by_passport: named, ttl_secs: ttlSeconds } = request;
    const held = heldAs(caller, workId, fenceOf(request.fence, fence), named);
    const lease = await this.together(
      { caller, tenant: request.tenant_id },
      (tenantId, alone) => this.grouped.renew(tenantId, { ...held, ttlSeconds }, alone),
      async () => this.workLeases.renew(caller, await this.lockHeld(caller, held, named), ttlSeconds),
    );
    return renewedReply(lease);
  }

  /** Of work or of a path, by its fence alone. @throws LeaseEnded, WorkHeld */
  renewByFence(caller: DaemonCaller, request: RenewLeaseRequest): Promise<RenewedReply> {
    return this.tenants.write(caller, request.tenant_id, async () => {
      const { fence } = request;
      const lease = await this.leases.readByFence(fence);
      if (!lease) throw await this.leases.endedOf(fence);
      if (lease.kind === 'work') {
        const item = await this.lockHeld(caller, { workId: lease.subject, fence }, request.by_passport);
        return renewedReply(await this.workLeases.renew(caller, item, request.ttl_secs));
      }
      await this.leases.lockPaths();
      checkHolder(caller, lease, request.by_passport);
      return renewedReply(await this.leases.renew(caller, lease, request.ttl_secs));
    });
  }

  /** @throws WorkUnknown, LeaseEnded, WorkHeld, MoveNeedsApproval */
  async release(caller: DaemonCaller, workId: string, request: ReleaseRequest, fence?: number): Promise<ReleaseReply> {
    const { by_passport: named, reason } = request;
    const held = heldAs(caller, workId, fenceOf(request.fence, fence), named);
    const released = await this.together(
      { caller, tenant: request.tenant_id },
      (tenantId, alone) => this.grouped.release(tenantId, { ...held, reason }, alone),
      async () => {
        const item = await this.lockHeld(caller, held, named);
        await this.checkUngated(item, item.state, stateAfterLease(item.state));
        const ending = { reason, byPassport: item.leaseHolder ?? undefined };
        return (await this.workLeases.end(caller, [item], 'released', ending))[0]!;
      },
    );
    return releaseReply(released, held.fence);
  }

  /** Whoever holds it, and whatever the gate policy says. @throws WorkUnknown, WorkNotClaimable where nobody does */
  forceRelease(caller: DaemonCaller, workId: string, request: ForceReleaseRequest): Promise<ReleaseReply> {
    if (!request.confirm) throw invalid('body.confirm', 'must be true: somebody may be at work on it');
    const byPassport = namedPassport(caller, request.by_passport, 'by_passport');
    return this.tenants.write(caller, request.tenant_id, async () => {
      const { item, isLeaseLive } = await this.lock(workId);
      if (!isLeaseLive)
        throw new WorkNotClaimable(
          { work_id: workId, state: item.state, open_blockers: item.openBlockers },
          'Nobody holds it, so there is nothing to release',
        );
      const [released] = await this.workLeases.end(caller, [item], 'forced', { reason: request.reason, byPassport });
      return releaseReply(released!, item.leaseFence!);
    });
  }

  /** With what others ask for at the same time; alone where its unit of work has more to do. */
  private together<T>(
    { caller, tenant }: { caller: DaemonCaller; tenant: string | undefined },
    grouped: (tenantId: string, alone: () => Promise<T>) => Promise<T>,
    alone: () => Promise<T>,
  ): Promise<T> {
    return this.tenants.writeAlone(caller, tenant, (tenantId, unit) => (unit ? alone() : grouped(tenantId, alone)));
  }

  /** @throws MoveNeedsApproval where the policy of the project names the move */
  private async checkUngated({ workId, projectId }: WorkItemRow, from: WorkState, to: WorkState): Promise<void> {
    if (!isMoveGated(from, to, await this.store.listGatedMoves(projectId))) return;
    throw new MoveNeedsApproval(
      { work_id: workId, project_id: projectId, from, to },
      `The gate policy of ${projectId} has another approve ${moveName(from, to)}: PATCH /v1/work/{id} with the state ${to} asks for it`,
    );
  }

  private async lock(workId: string): Promise<LockedItem> {
    const locked = await this.store.lock(workId);
    if (locked) return locked;
    checkChangeable(workId);
    throw workUnknown(workId);
  }

  private async lockHeld(
    caller: DaemonCaller,
    { workId, fence }: { workId: string; fence: number },
    named: string | undefined,
  ): Promise<WorkItemRow> {
    const { item, isLeaseLive } = await this.lock(workId);
    if (!isLeaseLive || item.leaseFence !== fence) throw await this.leases.endedOf(fence);
    checkHolder(caller, { subject: workId, ...holdOf(item) }, named);
    return item;
  }
}

function claimantOf(caller: DaemonCaller, { by_passport: named, ttl_secs: ttlSeconds }: ClaimRequest): Claimant {
  const holder = namedPassport(caller, named, 'by_passport');
  if (holder === undefined) throw invalid('body.by_passport', 'is needed: the passport that is to hold it');
  return { holder, askedBy: caller.passport ?? holder, ttlSeconds };
}

/** What a caller says that it holds. */
const heldAs = (caller: DaemonCaller, workId: string, fence: number, named: string | undefined): OfHeld => {
  const passport = namedPassport(caller, named, 'by_passport');
  return { by: caller, workId, fence, isAllowed: ({ leaseHolder }) => (passport ?? leaseHolder) === leaseHolder };
};

/** @throws WorkHeld where the caller names somebody else, or is */
function checkHolder(caller: DaemonCaller, held: Held, named: string | undefined): void {
  const passport = namedPassport(caller, named, 'by_passport');
  if (passport !== undefined && passport !== held.holderPassport) throw heldBy(held);
}

type Held = LeaseHolder & { subject: string };

const holdOf = ({ leaseFence, leaseHolder, leaseExpiresAt }: WorkItemRow): LeaseHolder => ({
  ...{ fence: leaseFence!, holderPassport: leaseHolder!, expiresAt: leaseExpiresAt! },
});

function heldBy(held: Held): WorkHeld {
  const named = holderOf(held);
  return new WorkHeld(
    { work_id: held.subject, ...named },
    `${named.holder_passport} holds it under the fence ${named.fence} until ${named.expires_at}; then it is free`,
  );
}

const workUnknown = (workId: string): WorkUnknown =>
  new WorkUnknown({ work_id: workId }, 'No work item of the tenant has this id; GET /v1/work lists those there are');
