import { Injectable } from '@nestjs/common';
import { againAfterDeadlock } from '../../../common/database/deadlocks.js';
import { type Actor, AuditTrail } from '../../../common/evidence-log/audit-trail.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { type PlannedRecord, SyncApplyService } from './sync-apply.service.js';
import { MAX_TEXT, SyncContentsService } from './sync-contents.service.js';
import { confirmHash, named, recordsHash } from './sync-digests.rules.js';
import { collectionOf, wireIdOf } from './sync-ids.rules.js';
import { SyncIndexService } from './sync-index.service.js';
import { type ReadRecord, SyncReadingService } from './sync-reading.service.js';
import { CROWDED, findMergeFault, MAX_ALIVE } from './sync-plan.rules.js';
import type { Verdict } from './sync-record.types.js';
import type { SyncTenant } from './sync-tenants.store.js';
import { syncApplied } from './sync.events.js';
import { SyncStateMoved } from './sync.problems.js';
import type { PromotionConfirmed, PromotionPreview, PromotionRequest, PromotionRow } from './sync-promotions.dto.js';
import type { SyncReach } from './sync.types.js';
import { wholeRecordOf } from './sync.views.js';

/** What becomes of each record, as of a moment. */
interface Decision {
  readonly planned: readonly PlannedRecord[];
  readonly rows: readonly DecidedRecord[];
  readonly confirmHash: string;
  readonly recordHash: string;
}

interface DecidedRecord {
  readonly record: ReadRecord;
  readonly verdict: Verdict;
  readonly reason: string | null;
  readonly planned: PlannedRecord | undefined;
}

/** Records of a peer: what would become of them, and taking them in, all or nothing. */
@Injectable()
export class SyncPromotionsService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly index: SyncIndexService,
    private readonly reading: SyncReadingService,
    private readonly applies: SyncApplyService,
    private readonly contents: SyncContentsService,
    private readonly audit: AuditTrail,
  ) {}

  /** Nothing of it is done. @throws ValidationFailed */
  async preview(tenantId: string, reach: SyncReach, request: PromotionRequest): Promise<PromotionPreview> {
    const read = await this.read(request, reach);
    return this.inTenant(tenantId, async () => {
      const decision = await this.decide(await this.index.settle(), read, request.allowlist);
      const rows = await this.rowsOf(decision.rows, request.include_content);
      return {
        ...{ schema: 'svc.sync_preview/1', tenant_id: tenantId, rows, counts: countsOf(decision.rows) },
        confirm_hash: named(decision.confirmHash),
        record_hash: named(decision.recordHash),
      };
    });
  }

  /** @throws ValidationFailed; SyncStateMoved unless what is done is what was previewed, or was done already */
  async confirm(by: Actor, tenantId: string, reach: SyncReach, request: PromotionRequest): Promise<PromotionConfirmed> {
    const read = await this.read(request, reach);
    return this.take({ by, tenantId, reach, read, allowlist: request.allowlist }, (decision) => {
      if (request.confirm_hash !== named(decision.confirmHash))
        throw new SyncStateMoved(
          { confirm_hash: named(decision.confirmHash) },
          request.confirm_hash === undefined
            ? 'confirm_hash is needed: preview the same records, and send what that answers'
            : 'What would be done is not what was previewed, and nothing was: preview again, and decide on that',
        );
    });
  }

  /**
   * What confirm does, without a preview: for records that this server asked for itself.
   * @param alongside done in the same transaction
   * @throws ValidationFailed
   */
  async apply(
    by: Actor,
    tenantId: string,
    reach: SyncReach,
    records: readonly unknown[],
    alongside: (rows: readonly PromotionRow[]) => Promise<void> = () => Promise.resolve(),
  ): Promise<PromotionConfirmed> {
    const read = await this.reading.read(records, reach, [], 'records');
    return this.take(
      { by, tenantId, reach, read, allowlist: [] },
      () => undefined,
      ({ rows }) => alongside(rows.map(rowOf)),
    );
  }

  private read({ records = [], allowlist }: PromotionRequest, reach: SyncReach): Promise<ReadRecord[]> {
    return this.reading.read(records, reach, allowlist, 'body.records');
  }

  private take(
    wish: Wish,
    check: (decision: Decision) => void,
    alongside: (decision: Decision) => Promise<void> = () => Promise.resolve(),
  ): Promise<PromotionConfirmed> {
    const { by, tenantId, reach, read, allowlist } = wish;
    return this.inTenant(tenantId, async () => {
      const tenant = await this.index.settle();
      const decision = await this.decide(tenant, read, allowlist);
      const fresh = decision.planned.filter(({ plan }) => plan.isChanged);
      if (fresh.length > 0) check(decision);
      const { recordHash } = decision;
      const counts = countsOf(decision.rows);
      const entry = syncApplied(
        named(recordHash),
        reach.peerId ?? null,
        Object.fromEntries(counts.map((one) => [one.verdict, one.count])),
      );
      const receiptId = fresh.length === 0 ? null : (await this.audit.record(by, entry)).receiptId;
      if (receiptId !== null) await this.applies.apply(by, tenant, fresh, receiptId);
      await alongside(decision);
      return {
        ...{
          schema: 'svc.sync_confirm/1',
          tenant_id: tenantId,
          record_hash: named(recordHash),
          counts,
          receipt_id: receiptId,
        },
        applied_count: decision.rows.filter(({ verdict }) => TAKEN.has(verdict)).length,
      };
    });
  }

  /** The index is brought up to date before, so that writers wait for no longer than it takes. */
  private inTenant<T>(tenantId: string, unit: () => Promise<T>): Promise<T> {
    return againAfterDeadlock(async () => {
      await this.index.open(tenantId);
      return this.tenancy.run(tenantId, unit);
    });
  }

  private async decide(
    tenant: SyncTenant,
    read: readonly ReadRecord[],
    allowlist: readonly string[],
  ): Promise<Decision> {
    const crowded = crowdedIn(read);
    const refusals = new Map(
      read.map((record) => [record.index, record.refusal ?? forgedIn(tenant, record) ?? refuseCrowd(record, crowded)]),
    );
    const taken = read.filter(({ index }) => refusals.get(index) === null).map(({ version }) => version);
    const all = await this.applies.plan(taken);
    const faults = new Map(
      all.map((one) => [one.plan.key, findMergeFault(one.before, one.incoming, tenant.origins[0])]),
    );
    const planned = all.filter(({ plan }) => faults.get(plan.key) === null);
    const byKey = new Map(planned.map((one) => [one.plan.key, one]));
    const rows = read.map((record) => {
      const { key } = record.version;
      return decided(record, refusals.get(record.index) ?? refusalOf(faults.get(key)), byKey.get(key));
    });
    return {
      ...{ planned, rows },
      confirmHash: confirmHash(
        this.tenancy.tenant,
        allowlist,
        rows.map(({ record, verdict, planned: one }) => ({
          digest: record.version.digest,
          verdict,
          local: localOf(one),
        })),
      ),
      recordHash: recordsHash(
        rows.flatMap(({ record, verdict }) => (REFUSED.has(verdict) ? [] : [record.version.digest])),
      ),
    };
  }

  /** The versions that are here come with their content up to 8 MiB of it. */
  private async rowsOf(decided: readonly DecidedRecord[], withContent: boolean): Promise<PromotionRow[]> {
    if (!withContent) return decided.map(rowOf);
    const kept = new Map(decided.flatMap(({ planned }) => planned?.before.kept ?? []).map((one) => [one.digest, one]));
    const { versions } = await this.contents.read([...kept.values()], MAX_TEXT);
    const whole = new Map(versions.map(({ version, content }) => [version.digest, wholeRecordOf(version, content)]));
    return decided.map((row) => ({
      ...rowOf(row),
      local_versions: localOf(row.planned).flatMap((digest) => whole.get(digest) ?? []),
    }));
  }
}

function rowOf({ record, verdict, reason, planned }: DecidedRecord): PromotionRow {
  const { target, parts, isDeleted, digest } = record.version;
  return {
    index: record.index,
    collection: collectionOf(target, isDeleted),
    id: [...wireIdOf(target, parts, isDeleted)],
    ...{ digest: named(digest), verdict, reason, local: localOf(planned).map(named) },
  };
}

interface Wish {
  by: Actor;
  tenantId: string;
  reach: SyncReach;
  read: readonly ReadRecord[];
  allowlist: readonly string[];
}

/** What a record is with once it is taken in; a hold keeps some of them from being shown. */
const TAKEN: ReadonlySet<Verdict> = new Set(['apply', 'conflict_kept', 'tombstone']);

/** What nothing is kept of. */
const REFUSED: ReadonlySet<Verdict> = new Set(['refused_scope', 'refused_content']);

const localOf = (planned: PlannedRecord | undefined): string[] =>
  (planned?.before.kept ?? []).map(({ digest }) => digest).sort();

/** Records of which a request has more versions than may be alive: to compare them all would take too long. */
function crowdedIn(read: readonly ReadRecord[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const { version } of read) counts.set(version.key, (counts.get(version.key) ?? 0) + 1);
  return new Set([...counts].flatMap(([key, count]) => (count > MAX_ALIVE ? [key] : [])));
}

const refuseCrowd = ({ version }: ReadRecord, crowded: ReadonlySet<string>): ReadRecord['refusal'] =>
  crowded.has(version.key) ? refusalOf(CROWDED) : null;

const refusalOf = (reason: string | null | undefined): ReadRecord['refusal'] =>
  typeof reason === 'string' ? { verdict: 'refused_content', reason } : null;

/** Nobody else writes under the name of this server. */
function forgedIn({ origins: [origin], writes }: SyncTenant, { version }: ReadRecord): ReadRecord['refusal'] {
  if (!Object.hasOwn(version.vector, origin) || version.vector[origin]! <= writes) return null;
  return {
    verdict: 'refused_content',
    reason: `its vector names a write of this server (${origin}) that this server never made; if its database was restored without svc restore, let svc doctor look at it`,
  };
}

function decided(
  record: ReadRecord,
  refusal: ReadRecord['refusal'],
  planned: PlannedRecord | undefined,
): DecidedRecord {
  if (refusal) return { record, ...refusal, planned: undefined };
  const verdict = planned!.plan.verdicts.get(record.version.digest)!;
  const reason = verdict === 'refused_hold' ? 'a legal hold, or an incident, keeps what is here until it ends' : null;
  return { record, verdict, reason, planned };
}

function countsOf(rows: readonly DecidedRecord[]): { verdict: Verdict; count: number }[] {
  const counts = new Map<Verdict, number>();
  for (const { verdict } of rows) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([verdict, count]) => ({ verdict, count }));
}
