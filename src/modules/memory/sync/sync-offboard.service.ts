import { Injectable } from '@nestjs/common';
import { againAfterDeadlock } from '../../../common/database/deadlocks.js';
import { type Actor, AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { PeerEnds } from './peer-ends.service.js';
import { isPinned } from './sync-ids.rules.js';
import { SyncIndexService } from './sync-index.service.js';
import { SyncPagesStore } from './sync-pages.store.js';
import type { KeptVersion } from './sync-record.types.js';
import { SyncRecordsStore } from './sync-records.store.js';
import { positionsOf } from './sync-take-up.service.js';
import { type SyncTenant, SyncTenantsStore } from './sync-tenants.store.js';
import { SyncWriterService } from './sync-writer.service.js';
import type { Offboarded, OffboardRequest } from './sync-answers.dto.js';
import { syncOffboarded } from './sync.events.js';
import { MembershipEpochOld } from './sync.problems.js';

/** Copies that one call removes: it has to end in time. */
const MAX_REMOVED = 2000;
/** Of those that holds keep, as many are listed. */
const MAX_LISTED = 1000;
/** Copies that are looked at. */
const MAX_LOOKED = 200_000;

/** A tenant leaves its peers: they end, and what came from them alone goes. */
@Injectable()
export class SyncOffboardService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly index: SyncIndexService,
    private readonly tenants: SyncTenantsStore,
    private readonly pages: SyncPagesStore,
    private readonly records: SyncRecordsStore,
    private readonly writer: SyncWriterService,
    private readonly peers: PeerEnds,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws MembershipEpochOld */
  async offboard(by: Actor, tenantId: string, request: OffboardRequest): Promise<Offboarded> {
    return againAfterDeadlock(async () => {
      await this.index.open(tenantId);
      return this.tenancy.run(tenantId, async () => this.leave(by, await this.index.settle(), request));
    });
  }

  private async leave(
    by: Actor,
    tenant: SyncTenant,
    { membership_epoch, dry_run }: OffboardRequest,
  ): Promise<Offboarded> {
    const epoch = nextEpoch(tenant, membership_epoch);
    const { holds } = await this.tenants.keeping();
    const foreign = groupsOf(await this.pages.foreign(tenant.origins, MAX_LOOKED));
    const kept = foreign.filter(([version]) => isPinned(version!, holds));
    const free = foreign.filter(([version]) => !isPinned(version!, holds));
    const removed = free.slice(0, MAX_REMOVED);
    let receiptId: string | null = null;
    const ended = await this.peers.endAll(by, dry_run);
    if (!dry_run) {
      const facts = { membershipEpoch: epoch, removed: removed.length, kept: kept.length, endedPeers: ended };
      receiptId = (await this.audit.record(by, syncOffboarded(this.tenancy.tenant, facts))).receiptId;
      await this.forget(by, tenant, removed, receiptId);
      await this.tenants.setMembershipEpoch(epoch);
    }
    return {
      ...{ schema: 'svc.sync_offboarded/1', tenant_id: this.tenancy.tenant, membership_epoch: epoch, dry_run },
      ...{ ended_peers: ended, removed_count: removed.length, remaining_count: free.length - removed.length },
      kept: kept.slice(0, MAX_LISTED).map(([version]) => ({ collection: version!.target, id: [...version!.parts] })),
      ...{ kept_count: kept.length, receipt_id: receiptId, offboarded_at: new Date().toISOString() },
    };
  }

  /** No deletion is left that would travel: the copies are those of others. */
  private async forget(
    by: Actor,
    tenant: SyncTenant,
    groups: readonly KeptVersion[][],
    receiptId: string,
  ): Promise<void> {
    const versions = groups.flat();
    const writes = groups
      .map(([first]) => first!)
      .filter(({ localDigest }) => localDigest !== null)
      .map(({ target, parts, key }) => ({ target, parts, key, content: null, isReplaced: true }));
    await this.writer.write(by, writes, receiptId);
    await this.records.remove(versions);
    await this.records.dropContents();
    const position = tenant.position + 1;
    await this.tenants.advance({ writes: tenant.writes, position, positions: positionsOf(versions, position) });
    await this.tenants.dropOwnMarks();
  }
}

/** The versions of each record. */
function groupsOf(versions: readonly KeptVersion[]): KeptVersion[][] {
  const groups = new Map<string, KeptVersion[]>();
  for (const version of versions) groups.set(version.key, [...(groups.get(version.key) ?? []), version]);
  return [...groups.values()];
}

const MAX_U64 = 2n ** 64n - 1n;

function nextEpoch({ membershipEpoch }: SyncTenant, given: number | string | undefined): string {
  const ours = BigInt(membershipEpoch);
  const theirs = given === undefined ? ours : BigInt(given);
  if (theirs < ours)
    throw new MembershipEpochOld(
      { membership_epoch: membershipEpoch },
      `The membership epoch is ${membershipEpoch} here: read the manifest, and send that one if the tenant is still to leave`,
    );
  return String(theirs >= MAX_U64 ? MAX_U64 : theirs + 1n);
}
