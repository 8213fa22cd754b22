import { Body, Controller } from '@nestjs/common';
import { Caller, type TenantCaller } from '../../../common/contract/caller.js';
import { ok, seats } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { TenantSettings, TenantSettingsRequest } from './tenant-settings.dto.js';
import { TenantSettingsService } from './tenant-settings.service.js';

@Controller()
export class TenantSettingsController {
  constructor(private readonly settings: TenantSettingsService) {}

  @Route('GET /v1/org/settings', {
    tag: 'seats',
    summary: 'Get the settings of the tenant',
    description: 'What is set for all who call in it. Everything is the default until it is set.',
    access: seats('owner', 'admin'),
    reply: ok(TenantSettings),
  })
  readTenantSettings(@Caller() { tenantId }: TenantCaller): Promise<TenantSettings> {
    return this.settings.read(tenantId);
  }

  @Route('PUT /v1/org/settings', {
    tag: 'seats',
    summary: 'Set the settings of the tenant',
    description:
      'Holds in every process within a second. What is set already changes nothing. Leaves a signed receipt `settings.changed`.',
    access: seats('owner', 'admin'),
    reply: ok(TenantSettings),
  })
  setTenantSettings(@Caller() caller: TenantCaller, @Body() request: TenantSettingsRequest): Promise<TenantSettings> {
    return this.settings.set(caller.tenantId, caller, request);
  }
}
