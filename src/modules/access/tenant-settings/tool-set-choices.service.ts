import { Injectable } from '@nestjs/common';
import { DEFAULT_SET } from '../../../common/contract/tool-sets.js';
import { Listener } from '../../../common/database/listener.js';
import { TtlCache } from '../../../common/database/ttl-cache.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../common/tenancy/tenant-repository.js';
import { TenantSettingRow } from './tenant-setting.entity.js';
import { toSettings } from './tenant-settings.views.js';
import type { TenantSettings } from './tenant-settings.dto.js';

/** Which set of tools tenants chose. A change, in any process, is seen by the next listing. */
@Injectable()
export class ToolSetChoices {
  private readonly known: TtlCache<TenantSettings>;
  private readonly rows: TenantRepository<TenantSettingRow>;

  constructor(
    private readonly tenancy: Tenancy,
    listener: Listener,
  ) {
    this.rows = new TenantRepository(tenancy, TenantSettingRow);
    this.known = new TtlCache(listener, 'svc_setting_changed', (payload, _, name) => payload === name);
  }

  /** @returns the default set where the tenant chose none */
  async of(tenantId: string): Promise<string> {
    const settings = this.known.get(tenantId) ?? (await this.known.ask(tenantId, () => this.read(tenantId)));
    return settings?.toolSet ?? DEFAULT_SET;
  }

  private read(tenantId: string): Promise<TenantSettings> {
    return this.tenancy.run(tenantId, async () => toSettings(await this.rows.find({})));
  }
}
