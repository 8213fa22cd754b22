import { Module } from '@nestjs/common';
import { TenantErasureSweep } from './tenant-erasure.sweep.js';
import { TenantsModule } from './tenants.module.js';

/** The erasure of deleted tenants on time, in the processes of the API. */
@Module({ imports: [TenantsModule], providers: [TenantErasureSweep] })
export class TenantSweepModule {}
