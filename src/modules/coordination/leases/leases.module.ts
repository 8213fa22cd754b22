import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { FenceCheckService } from './fence-check.service.js';
import { FenceInterceptor } from './fence.interceptor.js';
import { LeasesService } from './leases.service.js';
import { LeasesStore } from './leases.store.js';
import { PathLeasesService } from './path-leases.service.js';

/**
 * Leases with fences: who holds a work item or a path, until when (D61). No routes of its own: work is claimed by
 * `coordination/claims`, paths by `coordination/punchcards`.
 */
@Module({
  providers: [
    ...[LeasesService, LeasesStore, FenceCheckService, PathLeasesService],
    { provide: APP_INTERCEPTOR, useClass: FenceInterceptor },
  ],
  exports: [LeasesService, FenceCheckService, PathLeasesService],
})
export class LeasesModule {}
