import { Injectable } from '@nestjs/common';
import { AuditTrail, type Actor, type AuditEntry } from '../evidence-log/audit-trail.js';
import { CrossTenant } from '../tenancy/cross-tenant.js';
import { Tenancy } from '../tenancy/tenancy.js';
import { HOLDS_STREAM, LegalHold, type HeldRow } from './held-rows.js';

/** Receipts that one transaction makes. */
const BATCH = 200;

/** A row of hold_refusal that has no receipt yet. */
interface DueRefusal {
  minute: string;
  what: Buffer;
  hold_ids: string[];
  entity: string;
  principal: string;
  auth_mode: string;
  table_name: string;
  operation: string;
  attempts: string;
}

/** A table that was not emptied, and the holds of one tenant. */
interface RefusedTruncation {
  tenant_id: string;
  hold_ids: string[];
  table_name: string;
  login: string;
}

/**
 * What legal holds refused: counted by holds, entity and principal of a minute, with one receipt for each of those, so
 * that a caller that asks again and again cannot fill the log.
 */
@Injectable()
export class HoldRefusals {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly crossTenant: CrossTenant,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * After the transaction that was refused has ended, in one of its own.
   * @returns what the caller is answered
   */
  async refuse(by: Actor, { tenantId, holdIds, entity, table }: HeldRow): Promise<LegalHold> {
    await this.tenancy.run(tenantId, async () => {
      await this.tenancy.query('select svc_note_refusal($1, $2, $3, $4, $5, $6, $7)', [
        ...[tenantId, holdIds, entity, by.principal, by.authType, table, 'request'],
      ]);
      await this.receipt();
    });
    return new LegalHold(
      { hold_ids: holdIds },
      `A legal hold pins ${entity}; nothing was changed. It can be deleted once every hold that pins it is released`,
    );
  }

  /**
   * Makes the receipts that are due in a tenant.
   * @returns how many
   */
  receiptDue(tenantId: string): Promise<number> {
    return this.tenancy.run(tenantId, () => this.receipt());
  }

  /** Notes that nobody was let empty a table, in each tenant that has an active hold. */
  async noteTruncation(): Promise<void> {
    const held = await this.crossTenant.run('refused truncation', (query) => query<RefusedTruncation>(TRUNCATED));
    for (const { tenant_id: tenantId, hold_ids: holdIds, table_name: table, login } of held)
      await this.tenancy.run(tenantId, () =>
        this.tenancy.query('select svc_note_refusal($1, $2, $3, $4, $5, $6, $7)', [
          ...[tenantId, holdIds, `table:${table}`, `database:${login}`, 'database', table, 'truncate'],
        ]),
      );
  }

  /** Whose hold it is, of whatever tenant; where tenants share one by sync, that of this tenant. */
  async findTenantOf(holdId: string, preferred?: string): Promise<string | undefined> {
    const [row] = await this.crossTenant.run('legal hold by id', (query) =>
      query<{ tenant_id: string }>(
        'select tenant_id from legal_hold where hold_id = $1 order by tenant_id is distinct from $2, tenant_id limit 1',
        [holdId, preferred ?? null],
      ),
    );
    return row?.tenant_id;
  }

  /** Those of others that are due go along; what another transaction is at is left to it. */
  private async receipt(): Promise<number> {
    const due = await this.tenancy.query<DueRefusal>(DUE, [this.tenancy.tenant, BATCH]);
    for (const refusal of due) {
      const by = { principal: refusal.principal, authType: refusal.auth_mode };
      const { receiptId } = await this.audit.record(by, refusedDeletion(refusal));
      await this.tenancy.query(SETTLED, [this.tenancy.tenant, refusal.minute, refusal.what, receiptId]);
    }
    return due.length;
  }
}

/** The entity, which may be that of a private fact, is in the receipt alone. */
const refusedDeletion = (refusal: DueRefusal): AuditEntry => ({
  kind: 'hold.refused_deletion',
  subject: refusal.hold_ids[0]!,
  facts: { holdIds: refusal.hold_ids, table: refusal.table_name, operation: refusal.operation },
  receipt: { entity: refusal.entity, attempts: Number(refusal.attempts) },
  stream: HOLDS_STREAM,
});

const TRUNCATED = `
  select h.tenant_id, (array_agg(h.hold_id order by h.hold_id))[:100] as hold_ids, t.table_name, t.login
  from svc_take_truncation() t cross join legal_hold h
  where h.released_at is null group by h.tenant_id, t.table_name, t.login`;

/** The minute as text: a Date has no more than milliseconds, and the key is exact. */
const DUE = `
  select minute::text, what, hold_ids, entity, principal, auth_mode, table_name, operation, attempts from hold_refusal
  where tenant_id = $1 and receipt_id is null order by minute limit $2 for update skip locked`;
const SETTLED =
  'update hold_refusal set receipt_id = $4 where tenant_id = $1 and minute = $2::timestamptz and what = $3';
