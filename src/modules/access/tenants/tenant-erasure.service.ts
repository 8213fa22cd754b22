import { Injectable } from '@nestjs/common';
import { TENANT_TABLES } from '../../../common/database/tenant-tables.js';
import { JOBS_SCHEMA } from '../../../common/jobs/jobs.js';
import { heldRowOf } from '../../../common/legal-holds/held-rows.js';
import { HoldRefusals } from '../../../common/legal-holds/hold-refusals.service.js';
import type { Actor } from '../../../common/evidence-log/audit-trail.js';
import { requestScrub } from '../../../common/scrub/scrub.sweep.js';
import { CrossTenant } from '../../../common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { type BegunErasure, KeptTenants } from './kept-tenants.service.js';
import { ERASURE, isRecordTable, RecordErasureService } from './record-erasure.service.js';
import { TenantJournal } from './tenant-journal.service.js';
import { TenantStatesStore } from './tenant-states.store.js';
import type { Erased } from './tenants.types.js';

const REASON = 'tenant erasure';
/** Rows that one transaction erases. */
const BATCH = 2_000;
const FOREIGN_KEY_VIOLATION = '23503';

/**
 * Erases the rows of deleted tenants when their 30 days are over: the one way in which a tenant's data ends. Each
 * batch is a transaction; a process that dies leaves the rest to the next run. Rows that a late writer adds are found
 * within a day after.
 */
@Injectable()
export class TenantErasureService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly crossTenant: CrossTenant,
    private readonly store: TenantStatesStore,
    private readonly journal: TenantJournal,
    private readonly records: RecordErasureService,
    private readonly refusals: HoldRefusals,
    private readonly kept: KeptTenants,
  ) {}

  async listDue(): Promise<string[]> {
    const rows = await this.crossTenant.run(REASON, (query) =>
      query<{ tenant_id: string }>(`select tenant_id from tenant where ${IS_DUE} order by erase_after`),
    );
    return rows.map((row) => row.tenant_id);
  }

  /**
   * @param isStopped asked between the batches
   * @returns undefined where the tenant is not to be erased, now or any more
   * @throws LegalHold while one is active, whatever it pins: the tenant is kept whole
   */
  async erase(tenantId: string, isStopped: () => boolean = () => false): Promise<Erased | undefined> {
    await this.kept.deleteRestored(tenantId);
    await this.checkHolds(tenantId);
    const begun = await this.begin(tenantId);
    if (!begun) return undefined;
    await this.kept.keep(begun);
    try {
      return await this.eraseBegun(tenantId, isStopped);
    } catch (error) {
      const held = heldRowOf(error);
      throw held ? await this.refusals.refuse(ERASURE, held) : error;
    }
  }

  /** @throws LegalHold and leaves its receipt, where a hold of the tenant is active */
  async checkHolds(tenantId: string, by: Actor = ERASURE): Promise<void> {
    const holdIds = await this.findHolds(tenantId);
    if (holdIds.length > 0)
      throw await this.refusals.refuse(by, { tenantId, holdIds, entity: `tenant:${tenantId}`, table: 'tenant' });
  }

  /** The active holds of the tenant. */
  async findHolds(tenantId: string): Promise<string[]> {
    const rows = await this.crossTenant.run(REASON, (query) => query<{ hold_id: string }>(HOLDS, [tenantId]));
    return rows.map(({ hold_id }) => hold_id);
  }

  private async eraseBegun(tenantId: string, isStopped: () => boolean): Promise<Erased> {
    await this.records.announceRemoved(tenantId);
    let rows = 0;
    for (;;) {
      const pass = await this.eraseOnce(tenantId, isStopped);
      rows += pass.rows;
      if (pass.isCut) return { rows, isComplete: false };
      if (pass.rows === 0 && pass.referred.length === 0) break;
      if (pass.rows === 0)
        throw new Error(`rows of ${pass.referred.join(', ')} cannot be erased: others refer to them`);
    }
    await this.finish(tenantId);
    return { rows, isComplete: true };
  }

  /** From here on nothing brings the tenant back. */
  private begin(tenantId: string): Promise<BegunErasure | undefined> {
    return this.crossTenant.run(REASON, async (query) => {
      const [begun] = await query<BegunErasure>(BEGIN, [tenantId]);
      if (begun) await query(`delete from ${JOBS_SCHEMA}.job where data ->> 'tenantId' = $1`, [tenantId]);
      return begun;
    });
  }

  /** Every table once. Where rows came in meanwhile that refer to others, those are left to the next pass. */
  private async eraseOnce(tenantId: string, isStopped: () => boolean): Promise<Pass> {
    const tables = await this.crossTenant.run(REASON, (query) => query<{ name: string }>(TENANT_TABLES));
    const pass: Pass = { rows: 0, referred: [], isCut: false };
    for (const { name } of tables) {
      for (let erased = 1; erased > 0 && !pass.isCut;) {
        const found = isStopped() ? null : await this.eraseSome(tenantId, name);
        pass.isCut = found === null;
        if (found === 'referred') pass.referred.push(name);
        erased = typeof found === 'number' ? found : 0;
        pass.rows += erased;
      }
      if (pass.isCut) break;
    }
    return pass;
  }

  /** @returns how many rows went; null while another process is at it */
  private async eraseSome(tenantId: string, table: string): Promise<number | null | 'referred'> {
    if (isRecordTable(table)) return this.records.eraseSome(tenantId, table);
    try {
      return await this.crossTenant.run(REASON, async (query) => {
        const [row] = await query<{ erased: number | null }>(ERASE_ROWS, [tenantId, table, BATCH]);
        return row!.erased;
      });
    } catch (error) {
      if ((error as { driverError?: { code?: string } }).driverError?.code === FOREIGN_KEY_VIOLATION) return 'referred';
      throw error;
    }
  }

  private finish(tenantId: string): Promise<void> {
    return this.tenancy.run(tenantId, async () => {
      const erased = await this.store.markErased();
      if (!erased) return;
      await requestScrub((sql, parameters) => this.tenancy.query(sql, parameters), 'tenant');
      await this.journal.note(ERASURE, 'tenant.erased', { deletedAt: erased.state_since.toISOString() });
    });
  }
}

interface Pass {
  rows: number;
  /** Tables with rows that others refer to. */
  referred: string[];
  /** It did not come to its end. */
  isCut: boolean;
}

const IS_DUE = `state = 'deleted' and erase_after <= now() and (erased_at is null or erased_at > now() - interval '1 day')`;

/** What the ledger owes other tenants is kept: over all tenants it sums to zero. */
const BEGIN = `
  update tenant t set erasure_began_at = coalesce(t.erasure_began_at, now()),
    erased_clearing = coalesce(t.erased_clearing,
      (select a.balance from ledger_account a where a.tenant_id = t.tenant_id and a.account_id = 'clearing'), 0)
  where t.tenant_id = $1 and ${IS_DUE}
    and not exists (select from legal_hold h where h.tenant_id = t.tenant_id and h.released_at is null)
  returning t.tenant_id, t.erasure_began_at`;

const HOLDS = 'select hold_id from legal_hold where tenant_id = $1 and released_at is null order by hold_id';

/** One process at a time: two would wait for each other's rows. */
const ERASE_ROWS = `
  select case when pg_try_advisory_xact_lock(hashtextextended('svc erase ' || $1, 0))
    then svc_erase_rows($1, $2::regclass, $3) end as erased`;
