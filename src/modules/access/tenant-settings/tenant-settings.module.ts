import { Module } from '@nestjs/common';
import { TenantSettingServicesModule } from './tenant-setting-services.module.js';
import { TenantSettingsController } from './tenant-settings.controller.js';

/** The routes by which owners and admins set what holds for all who call in their tenant. */
@Module({ imports: [TenantSettingServicesModule], controllers: [TenantSettingsController] })
export class TenantSettingsModule {}
