import { Module } from '@nestjs/common';
import { TenantSettingsService } from './tenant-settings.service.js';

/** What is set for a tenant, without the routes: for the command line too. */
@Module({ providers: [TenantSettingsService], exports: [TenantSettingsService] })
export class TenantSettingServicesModule {}
