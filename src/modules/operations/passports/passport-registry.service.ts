import { Injectable } from '@nestjs/common';
import { AuditTrail, type Actor } from '../../../common/evidence-log/audit-trail.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { PassportRow } from './passport.entity.js';
import { passportChange } from './passports.events.js';
import { PassportKnown } from './passports.problems.js';
import type { PassportDraft } from './passports.types.js';

/** The passports that are registered in the tenant of the open unit of work. */
@Injectable()
export class PassportRegistry {
  private readonly rows: TenantRepository<PassportRow>;

  constructor(
    tenancy: Tenancy,
    private readonly audit: AuditTrail,
  ) {
    this.rows = new TenantRepository(tenancy, PassportRow);
  }

  /** Whether any was registered, of which some may be revoked now. */
  isUsed(): Promise<boolean> {
    return this.rows.has({});
  }

  /** Whether one is registered and not revoked. */
  async has(passportId: string): Promise<boolean> {
    const row = await this.rows.find({ passportId });
    return row !== undefined && row.revokedAt === null;
  }

  /** @throws PassportKnown, also for one that was revoked: its id stays taken */
  async register(by: Actor, draft: PassportDraft, facts: object = {}): Promise<PassportRow> {
    const row = await this.rows.insertNew({ ...draft, createdBy: by.principal });
    if (!row) throw await this.known(draft.passportId);
    await this.audit.record(by, passportChange('registered', row, facts));
    return (await this.rows.find({ passportId: draft.passportId }))!;
  }

  /** @throws PassportKnown */
  async checkFree(passportId: string): Promise<void> {
    if (await this.rows.has({ passportId })) throw await this.known(passportId);
  }

  private async known(passportId: string): Promise<PassportKnown> {
    const revokedAt = (await this.rows.find({ passportId }))?.revokedAt?.toISOString() ?? null;
    return new PassportKnown(
      { passport_id: passportId, revoked_at: revokedAt },
      revokedAt === null
        ? `GET /v1/passports/${passportId} shows it; choose another id for another bearer`
        : `It was revoked ${revokedAt}, and its id stays taken; choose another`,
    );
  }
}
