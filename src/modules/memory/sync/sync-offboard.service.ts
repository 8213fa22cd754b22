import { Injectable } from '@nestjs/common';
import { againAfterDeadlock } from '../../../common/database/deadlocks.js';
import { type Actor, AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { PeerEnds } from './peer-ends.service.js';
import { isPinned } from './sync-ids.rules.js';
import { SyncIndexService } from './sync-index.service.js';
import { SyncPagesStore, type VersionPlace } from './sync-pages.store.js';
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
/** Versions that are read at once. */
const PAGE = 2000;

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
    const { kept, keptCount, removed, freeCount } = await this.divide(tenant.origins, holds);
    let receiptId: string | null = null;
    const ended = await this.peers.endAll(by, dry_run);
    if (!dry_run) {
      const facts = { membershipEpoch: epoch, removed: removed.length, kept: keptCount, endedPeers: ended };
      receiptId = (await this.audit.record(by, syncOffboarded(this.tenancy.tenant, facts))).receiptId;
      await this.forget(by, tenant, removed, receiptId);
      await this.tenants.setMembershipEpoch(epoch);
    }
    return {
      ...{ schema: 'svc.sync_offboarded/1', tenant_id: this.tenancy.tenant, membership_epoch: epoch, dry_run },
      ...{ ended_peers: ended, removed_count: removed.length, remaining_count: freeCount - removed.length },
      kept: kept.map(({ target, parts }) => ({ collection: target, id: [...parts] })),
      ...{ kept_count: keptCount, receipt_id: receiptId, offboarded_at: new Date().toISOString() },
    };
  }

  /** However many copies there are, no more of them are in memory than are removed, or listed. */
  private async divide(origins: readonly string[], holds: readonly (readonly string[])[]) {
    const [kept, removed]: [KeptVersion[], KeptVersion[][]] = [[], []];
    let [keptCount, freeCount] = [0, 0];
    for await (const versions of this.copies(origins)) {
      if (isPinned(versions[0]!, holds)) {
        keptCount += 1;
        if (kept.length < MAX_LISTED) kept.push(versions[0]!);
      } else {
        freeCount += 1;
        if (removed.length < MAX_REMOVED) removed.push(versions);
      }
    }
    return { kept, keptCount, removed, freeCount };
  }

  /** The versions of each record that came from others alone. */
  private async *copies(origins: readonly string[]): AsyncGenerator<KeptVersion[]> {
    let versions: KeptVersion[] = [];
    let after: VersionPlace = { key: '', digest: '' };
    for (let found = PAGE; found === PAGE;) {
      const page = await this.pages.foreign(origins, after, PAGE);
      for (const version of page) {
        if (versions.length > 0 && versions[0]!.key !== version.key) {
          yield versions;
          versions = [];
        }
        versions.push(version);
      }
      found = page.length;
      after = page.at(-1) ?? after;
    }
    if (versions.length > 0) yield versions;
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
