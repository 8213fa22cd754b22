import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { completeVersion } from './sync-digests.rules.js';
import { collectionOf } from './sync-ids.rules.js';
import { SyncLocalStore, type RecordName } from './sync-local.store.js';
import { joinVectors } from './sync-merge.rules.js';
import type { KeptVersion, LocalState, SyncVersion } from './sync-record.types.js';
import { SyncRecordsStore, type VersionRow } from './sync-records.store.js';
import { SyncTenantsStore, type SyncTenant } from './sync-tenants.store.js';
import type { Collection } from './sync.types.js';

/** Records whose content is in memory at once, since each may have a MiB: of them the digests alone are kept. */
const AT_ONCE = 100;

/** Makes versions of what local writes changed, in the open unit of work and under its lock. */
@Injectable()
export class SyncTakeUpService {
  constructor(
    private readonly tenants: SyncTenantsStore,
    private readonly records: SyncRecordsStore,
    private readonly local: SyncLocalStore,
  ) {}

  /**
   * @param isForced whether a record with several versions becomes one, of what the tables have, though that did not
   * change
   * @returns what was made of the records that changed
   */
  async takeUp(tenant: SyncTenant, changed: readonly RecordName[], isForced = false): Promise<SyncVersion[]> {
    const names = [...new Map(changed.map((name) => [name.key, name])).values()];
    if (names.length === 0) return [];
    const kept = await this.records.find(names.map(({ key }) => key));
    const rows: VersionRow[] = [];
    const dropped: KeptVersion[] = [];
    for (let from = 0; from < names.length; from += AT_ONCE) {
      const part = names.slice(from, from + AT_ONCE);
      const local = await this.local.read(part);
      for (const name of part) {
        const before = kept.get(name.key) ?? [];
        const now = local.get(name.key)!;
        if (!isChange(before, now, isForced)) continue;
        rows.push(nextVersion(tenant, name, { before, now, place: rows.length + 1 }));
        dropped.push(...before);
      }
      await nextTurn();
    }
    await this.keep(tenant, rows, dropped);
    return rows;
  }

  private async keep(tenant: SyncTenant, rows: readonly VersionRow[], dropped: readonly KeptVersion[]): Promise<void> {
    if (rows.length === 0) return;
    await this.records.remove(dropped);
    await this.records.insert(rows);
    if (dropped.length > 0) await this.records.dropContents();
    await this.tenants.advance({
      writes: tenant.writes + rows.length,
      position: tenant.position + rows.length,
      positions: positionsOf([...rows, ...dropped], tenant.position + rows.length),
    });
  }
}

/** Of the collections that versions are in: all of them changed. */
export const positionsOf = (versions: readonly SyncVersion[], position: number): Partial<Record<Collection, number>> =>
  Object.fromEntries(versions.map(({ target, isDeleted }) => [collectionOf(target, isDeleted), position]));

function isChange(before: readonly KeptVersion[], now: LocalState, isForced: boolean): boolean {
  if (now.kind === 'withheld') return false;
  const digest = now.kind === 'present' ? now.digest : null;
  if (before.length === 0) return digest !== null;
  return before[0]!.localDigest !== digest || (isForced && before.length > 1);
}

interface Change {
  before: readonly KeptVersion[];
  now: LocalState;
  place: number;
}

/** A write knows of all versions that are here. */
function nextVersion(tenant: SyncTenant, { target, parts }: RecordName, { before, now, place }: Change): VersionRow {
  const [writer] = tenant.origins;
  const seq = tenant.writes + place;
  const digest = now.kind === 'present' ? now.digest : null;
  return {
    ...completeVersion({
      ...{ target, parts, writer, seq, isDeleted: digest === null, contentDigest: digest },
      vector: { ...joinVectors(before.map(({ vector }) => vector)), [writer]: seq },
    }),
    names: now.kind === 'present' ? now.names : (before[0]?.names ?? []),
    state: 'applied',
    position: tenant.position + place,
    localDigest: digest,
  };
}
