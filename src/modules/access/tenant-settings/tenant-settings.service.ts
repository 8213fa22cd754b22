import { Injectable } from '@nestjs/common';
import { AuditTrail, type Actor } from '../../../common/evidence-log/audit-trail.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { TenantSettingRow } from './tenant-setting.entity.js';
import { toSettings } from './tenant-settings.views.js';
import type { TenantSettings } from './tenant-settings.dto.js';

/** What is set for all who call in a tenant. A change leaves an event and a receipt, and holds at once everywhere. */
@Injectable()
export class TenantSettingsService {
  private readonly rows: TenantRepository<TenantSettingRow>;

  constructor(
    private readonly tenancy: Tenancy,
    private readonly audit: AuditTrail,
  ) {
    this.rows = new TenantRepository(tenancy, TenantSettingRow);
  }

  read(tenantId: string): Promise<TenantSettings> {
    return this.tenancy.run(tenantId, async () => toSettings(await this.rows.find({})));
  }

  /** What is set already changes nothing, and leaves nothing. */
  set(tenantId: string, by: Actor, { toolSet }: TenantSettings): Promise<TenantSettings> {
    return this.tenancy.run(tenantId, async () => {
      const former = toSettings(await this.rows.find({}, 'update'));
      if (former.toolSet === toolSet) return former;
      const values = { toolSet, changedBy: by.principal, changedAt: () => 'now()' };
      const row = await this.rows.put(values, ['toolSet', 'changedBy', 'changedAt']);
      const facts = { toolSet, formerToolSet: former.toolSet };
      await this.audit.record(by, { kind: 'settings.changed', subject: 'settings', facts });
      return toSettings(row);
    });
  }
}
