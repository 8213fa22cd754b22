import { Injectable } from '@nestjs/common';
import { AuditTrail, type Actor } from '../../../common/evidence-log/audit-trail.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TENANT_STREAM } from '../../../common/tenancy/tenant-state.js';

/**
 * Records what becomes of a tenant itself: an event, and a receipt in a chain of its own, which outlasts the tenant's
 * rows.
 */
@Injectable()
export class TenantJournal {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly audit: AuditTrail,
  ) {}

  /** Last in the unit of work. @returns the id of the receipt */
  async note(by: Actor, kind: string, facts: object): Promise<string> {
    const { tenant } = this.tenancy;
    const all = { tenantId: tenant, ...facts };
    const { receiptId: noted } = await this.audit.record(by, {
      kind,
      stream: TENANT_STREAM,
      subject: `tenant:${tenant}`,
      facts: all,
      makeEvent: (receiptId) => ({ kind, subject: tenant, data: { ...all, actor: by.principal, receiptId } }),
    });
    return noted;
  }
}
