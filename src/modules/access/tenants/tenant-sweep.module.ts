import { Module } from '@nestjs/common';
import { ScrubModule } from '../../../common/scrub/scrub.module.js';
import { TenantErasureSweep } from './tenant-erasure.sweep.js';
import { TenantsModule } from './tenants.module.js';

/** The erasure of deleted tenants on time, in the processes of the API. */
@Module({ imports: [TenantsModule, ScrubModule], providers: [TenantErasureSweep] })
export class TenantSweepModule {}
