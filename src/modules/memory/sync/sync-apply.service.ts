import { Injectable } from '@nestjs/common';
import type { Actor } from '../../../common/evidence-log/audit-trail.js';
import {
  isReleased,
  type Keeping,
  planRecord,
  type PlannedVersion,
  type RecordBefore,
  type RecordPlan,
} from './sync-plan.rules.js';
import { SyncLocalStore } from './sync-local.store.js';
import type { IncomingVersion, KeptVersion, LocalState, LocalWrite, SyncContent } from './sync-record.types.js';
import { type KeptContent, SyncRecordsStore } from './sync-records.store.js';
import { positionsOf } from './sync-take-up.service.js';
import { type SyncTenant, SyncTenantsStore } from './sync-tenants.store.js';
import { SyncWriterService } from './sync-writer.service.js';

/** A record with what came in of it, and what becomes of it. */
export interface PlannedRecord {
  readonly plan: RecordPlan;
  readonly before: RecordBefore;
  readonly incoming: readonly IncomingVersion[];
}

/** Merges versions into what is here, in the open unit of work and under its lock, the index being complete. */
@Injectable()
export class SyncApplyService {
  constructor(
    private readonly tenants: SyncTenantsStore,
    private readonly records: SyncRecordsStore,
    private readonly local: SyncLocalStore,
    private readonly writer: SyncWriterService,
  ) {}

  /** Writes nothing. @param versions verified and within reach @returns in the order of the first of each record */
  async plan(versions: readonly IncomingVersion[]): Promise<PlannedRecord[]> {
    const byKey = new Map<string, IncomingVersion[]>();
    for (const version of versions) byKey.set(version.key, [...(byKey.get(version.key) ?? []), version]);
    const kept = await this.records.find([...byKey.keys()]);
    const keeping = await this.tenants.keeping();
    const groups = [...byKey.values()];
    const ofHolds = groups.filter(([first]) => first!.target === 'holds');
    const placed = withPlaced(keeping, await this.planEach(ofHolds, kept, keeping));
    return this.planEach(groups, kept, placed);
  }

  private async planEach(
    groups: readonly IncomingVersion[][],
    kept: ReadonlyMap<string, KeptVersion[]>,
    keeping: Keeping,
  ): Promise<PlannedRecord[]> {
    const planned: PlannedRecord[] = [];
    for (let from = 0; from < groups.length; from += AT_ONCE) {
      const part = groups.slice(from, from + AT_ONCE);
      const local = await this.local.read(part.flatMap(([first]) => (first && kept.has(first.key) ? [first] : [])));
      for (const incoming of part) {
        const { key } = incoming[0]!;
        const before: RecordBefore = { kept: kept.get(key) ?? [], local: local.get(key) ?? { kind: 'absent' } };
        const plan = planRecord(before, incoming, keeping);
        planned.push({ plan, before: withoutUnused(before, plan), incoming });
      }
    }
    return planned;
  }

  /** Does what was planned. @param receiptId the receipt that says so */
  async apply(by: Actor, tenant: SyncTenant, planned: readonly PlannedRecord[], receiptId: string): Promise<void> {
    const changed = planned.filter(({ plan }) => plan.isChanged || plan.write !== 'none');
    await this.writer.write(by, await this.writesOf(changed), receiptId);
    const written = changed.filter(({ plan }) => plan.write !== 'none').map(({ plan }) => plan);
    const local = await this.local.read(written);
    await this.keepVersions(tenant, changed, local);
    await this.keepContents(changed, local);
    await this.tenants.dropOwnMarks();
  }

  /** What holds kept from being shown and keep no more. @returns how many records that were */
  async applyHeld(by: Actor, tenant: SyncTenant, receiptOf: (count: number) => Promise<string>): Promise<number> {
    const held = await this.records.findHeld(A_ROUND);
    const names = [...new Map(held.map((version) => [version.key, version])).values()];
    const kept = await this.records.find(names.map(({ key }) => key));
    const keeping = await this.tenants.keeping();
    const freed = await this.freedOf(names, kept, keeping);
    if (freed.length === 0) return 0;
    const local = await this.local.read(freed);
    const keys = new Set(freed.map(({ key }) => key));
    const contents = await this.records.readContents(held.filter(({ key }) => keys.has(key)));
    const planned = freed.map(({ key }) => {
      const versions = kept.get(key)!.map((version) => ({ ...version, content: contents.get(version.digest) ?? null }));
      const before: RecordBefore = { kept: versions, local: local.get(key)! };
      return { plan: planRecord(before, [], keeping), before, incoming: [] };
    });
    await this.apply(by, tenant, planned, await receiptOf(planned.length));
    return planned.length;
  }

  /** Records that nothing keeps any more from being shown. What is in them makes no difference to that. */
  private async freedOf(
    names: readonly KeptVersion[],
    kept: ReadonlyMap<string, KeptVersion[]>,
    keeping: Keeping,
  ): Promise<KeptVersion[]> {
    const freed: KeptVersion[] = [];
    for (let from = 0; from < names.length; from += AT_ONCE) {
      const part = names.slice(from, from + AT_ONCE);
      const local = await this.local.read(part);
      const isFreed = ({ key }: KeptVersion): boolean =>
        planRecord({ kept: kept.get(key)!, local: local.get(key)! }, [], keeping).winner.state !== 'held';
      freed.push(...part.filter(isFreed));
    }
    return freed;
  }

  /** A winner whose content is not at hand, for it was erased here, changes nothing. */
  private async writesOf(planned: readonly PlannedRecord[]): Promise<LocalWrite[]> {
    const stored = planned.filter(({ plan }) => plan.write === 'store').map(({ plan }) => plan.winner);
    const contents = await this.records.readContents(stored.filter(({ isNew }) => !isNew));
    return planned.flatMap(({ plan, incoming }): LocalWrite[] => {
      if (plan.write === 'none') return [];
      const { winner, isReplaced, key, target, parts } = plan;
      if (plan.write === 'delete') return [{ target, parts, key, isReplaced, content: null }];
      const content = incoming.find(({ digest }) => digest === winner.digest)?.content ?? contents.get(winner.digest);
      return content ? [{ target, parts, key, isReplaced, content }] : [];
    });
  }

  private async keepVersions(
    tenant: SyncTenant,
    planned: readonly PlannedRecord[],
    local: ReadonlyMap<string, LocalState>,
  ): Promise<void> {
    const digestOf = ({ plan, before }: PlannedRecord) => digestAfter(before, local.get(plan.key));
    const dropped = planned.flatMap(({ plan, before }) =>
      before.kept.filter(({ digest }) => plan.dropped.includes(digest)),
    );
    const all = planned.flatMap((record) =>
      record.plan.versions.map((version) => ({ ...version, localDigest: digestOf(record), before: record.before })),
    );
    const fresh = all.filter(({ isNew }) => isNew).map(rowOf(tenant));
    const moved = all.flatMap((version) => (version.isNew ? [] : movedRow(version)));
    await this.records.remove([...dropped, ...moved]);
    await this.records.insert([...fresh, ...moved]);
    const position = tenant.position + fresh.length;
    await this.tenants.advance({
      writes: tenant.writes,
      position,
      positions: positionsOf([...fresh, ...dropped], position),
    });
  }

  /** Of versions that the tables of the memory do not have, content that would be lost otherwise. */
  private async keepContents(planned: readonly PlannedRecord[], local: ReadonlyMap<string, LocalState>): Promise<void> {
    const contents = planned.flatMap((record) => {
      const shown = digestAfter(record.before, local.get(record.plan.key));
      return record.plan.versions.flatMap((version) => contentToKeep(version, record, shown));
    });
    await this.records.keepContents(contents);
    if (planned.some(({ before }) => before.kept.length > 0)) await this.records.dropContents();
  }
}

/** Records whose holds ended that are looked at together. */
const A_ROUND = 2000;
/** Records whose content is in memory at once, since each may have a MiB. */
const AT_ONCE = 100;

type PlacedVersion = PlannedVersion & { readonly localDigest: string | null; readonly before: RecordBefore };

const rowOf =
  ({ position }: SyncTenant) =>
  ({ before: _, isNew: __, ...version }: PlacedVersion, place: number) => ({
    ...plain(version),
    position: position + place + 1,
  });

/** Content that no version has any more is not looked at again: a peer may have deleted much that is large. */
function withoutUnused(before: RecordBefore, { target, versions }: RecordPlan): RecordBefore {
  const { local } = before;
  if (local.kind !== 'present' || target === 'holds') return before;
  const isUsed = versions.some(({ contentDigest }) => contentDigest === local.digest);
  return isUsed ? before : { ...before, local: { ...local, content: {} } };
}

/** Without the content that came with it. */
const plain = <T extends object>(version: T): T => {
  const { content: _, ...rest } = version as T & { content?: unknown };
  return rest as T;
};

/** A version that stays, where it stands otherwise now: at its place in the order of changes. */
function movedRow({ before, isNew: _, ...version }: PlacedVersion) {
  const was = before.kept.find(({ digest }) => digest === version.digest)!;
  const isSame = was.state === version.state && was.localDigest === version.localDigest;
  return isSame ? [] : [{ ...plain(version), position: was.position }];
}

/** What the tables have once everything is written; what was not looked at again is as it was. */
function digestAfter({ kept, local }: RecordBefore, after: LocalState | undefined): string | null {
  const state = after ?? local;
  if (state.kind === 'withheld') return kept[0]?.localDigest ?? null;
  return state.kind === 'present' ? state.digest : null;
}

function contentToKeep(
  version: PlannedVersion,
  { plan, before, incoming }: PlannedRecord,
  shown: string | null,
): KeptContent[] {
  const { digest, contentDigest, isDeleted, names } = version;
  if (isDeleted || contentDigest === shown) return [];
  const came = incoming.find((one) => one.digest === digest)?.content;
  const was =
    before.local.kind === 'present' && before.local.digest === contentDigest ? before.local.content : undefined;
  const content: SyncContent | null | undefined = came ?? was;
  return content ? [{ key: plan.key, digest, names, content }] : [];
}

/** Holds that are placed with what comes after them keep that already. */
function withPlaced({ holds, unreleasable }: Keeping, planned: readonly PlannedRecord[]): Keeping {
  const placed = planned.flatMap(({ plan: { write, winner }, incoming }) => {
    const content = incoming.find(({ digest }) => digest === winner.digest)?.content ?? null;
    return write === 'store' && !isReleased(content) ? [winner.names] : [];
  });
  return { holds: [...holds, ...placed], unreleasable };
}
