import { Injectable } from '@nestjs/common';
import { againAfterDeadlock } from '../../../common/database/deadlocks.js';
import { type Actor, AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { decodeCursor, encodeCursor } from '../../../common/fields/cursor.js';
import type { PageQuery } from '../../../common/fields/page.dto.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { MAX_TEXT, SyncContentsService, type WholeVersion } from './sync-contents.service.js';
import { named } from './sync-digests.rules.js';
import { isReached } from './sync-ids.rules.js';
import { SyncIndexService } from './sync-index.service.js';
import { SyncPagesStore } from './sync-pages.store.js';
import { hasConflict } from './sync-plan.rules.js';
import type { KeptVersion } from './sync-record.types.js';
import { SyncRecordsStore } from './sync-records.store.js';
import { SyncTakeUpService } from './sync-take-up.service.js';
import { SyncTenantsStore } from './sync-tenants.store.js';
import { SyncWriterService } from './sync-writer.service.js';
import type { ConflictResolved, SyncConflict, SyncConflictList } from './sync-answers.dto.js';
import { syncResolved } from './sync.events.js';
import { SyncConflictUnknown, SyncOutOfReach } from './sync.problems.js';
import { HOLDS_NEED } from './sync-reading.service.js';
import type { SyncReach } from './sync.types.js';
import { wholeRecordOf } from './sync.views.js';

/** Records of which several versions are alive, with other contents: listed, and solved by choosing one. */
@Injectable()
export class SyncConflictsService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly index: SyncIndexService,
    private readonly pages: SyncPagesStore,
    private readonly records: SyncRecordsStore,
    private readonly contents: SyncContentsService,
    private readonly takeUps: SyncTakeUpService,
    private readonly tenants: SyncTenantsStore,
    private readonly writer: SyncWriterService,
    private readonly audit: AuditTrail,
  ) {}

  async list(tenantId: string, reach: SyncReach, { limit, cursor }: PageQuery): Promise<SyncConflictList> {
    const [after = ''] = decodeCursor(cursor, ['text']) ?? [];
    if (!/^([0-9a-f]{64})?$/.test(after)) throw invalid('query.cursor', 'is not a cursor of this list');
    await this.index.open(tenantId);
    return this.tenancy.run(tenantId, async () => {
      const found = await this.pages.conflicts(reach, after, limit + 1);
      const conflicts = await this.whole(found.slice(0, limit));
      const has_more = conflicts.length < found.length;
      const next_cursor = has_more ? encodeCursor([conflicts.at(-1)!.conflict_id]) : null;
      return { schema: 'svc.sync_conflicts/1', conflicts, count: conflicts.length, has_more, next_cursor };
    });
  }

  /**
   * The version that is chosen becomes a write of this server, which knows of all that were there.
   * @throws SyncConflictUnknown, SyncOutOfReach; ValidationFailed for a digest of none of them
   */
  async resolve(
    by: Actor,
    tenantId: string,
    reach: SyncReach,
    choice: { key: string; digest: string },
  ): Promise<ConflictResolved> {
    return againAfterDeadlock(async () => {
      await this.index.open(tenantId);
      return this.tenancy.run(tenantId, () => this.choose(by, reach, choice));
    });
  }

  private async choose(
    by: Actor,
    reach: SyncReach,
    { key, digest }: { key: string; digest: string },
  ): Promise<ConflictResolved> {
    await this.index.settle();
    const kept = (await this.records.find([key])).get(key) ?? [];
    if (!hasConflict(kept) || !isReached(kept[0]!, reach)) throw unknown(key);
    if (kept[0]!.target === 'holds' && !reach.mayHold) throw new SyncOutOfReach({ needed: 'admin:write' }, HOLDS_NEED);
    const wanted = kept.filter((one) => named(one.digest) === digest);
    const [chosen] = (await this.contents.read(wanted)).versions;
    if (!chosen)
      throw invalid(
        'body.digest',
        `must be the digest of a version of it: ${kept.map((one) => named(one.digest)).join(', ')}`,
      );
    const { version, content } = chosen;
    if (!version.isDeleted && content === undefined)
      throw invalid(
        'body.digest',
        'is of a version whose content is set aside by an incident; choose once that is undone',
      );
    const { receiptId } = await this.audit.record(by, syncResolved(key, version.target, digest));
    const { target, parts } = version;
    if (version.localDigest !== version.contentDigest) {
      const isReplaced = version.localDigest !== null;
      await this.writer.write(by, [{ target, parts, key, isReplaced, content: content ?? null }], receiptId);
    }
    const [made] = await this.takeUps.takeUp(await this.index.read(), [{ target, parts, key }], true);
    if (!made) throw new Error(`conflict ${key} was chosen, and no version came of it`);
    await this.tenants.dropOwnMarks();
    const record = wholeRecordOf(made, content);
    return { schema: 'svc.sync_resolved/1', conflict_id: key, version: record, receipt_id: receiptId };
  }

  /** Those of a page whose content fits into an answer; one at least, as a whole. */
  private async whole(keys: readonly string[]): Promise<SyncConflict[]> {
    const conflicts: SyncConflict[] = [];
    let left = MAX_TEXT;
    for (const key of keys) {
      const kept = (await this.records.find([key])).get(key) ?? [];
      const { versions, text } = await this.contents.read(kept, conflicts.length === 0 ? Infinity : left);
      left -= text;
      if (versions.length < kept.length) break;
      conflicts.push(conflictOf(kept, versions));
      if (left <= 0) break;
    }
    return conflicts;
  }
}

function conflictOf(kept: readonly KeptVersion[], versions: readonly WholeVersion[]): SyncConflict {
  const [first] = kept;
  const shown = kept.find(({ state }) => state === 'applied');
  return {
    conflict_id: first!.key,
    collection: first!.target,
    id: [...first!.parts],
    shown: shown ? named(shown.digest) : null,
    versions: versions.map(({ version, content }) => wholeRecordOf(version, content)),
  };
}

const unknown = (key: string): SyncConflictUnknown =>
  new SyncConflictUnknown(
    { conflict_id: key },
    'No record of this key has several versions with other contents; GET .../conflicts lists those there are',
  );
