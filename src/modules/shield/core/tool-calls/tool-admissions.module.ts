import { Module } from '@nestjs/common';
import { DecisionsModule } from '../decisions/decisions.module.js';
import { PublicCallersService } from './public-callers.service.js';
import { ToolAdmissionsService } from './tool-admissions.service.js';
import { ToolAdmissionsStore } from './tool-admissions.store.js';
import { ToolWindowSweep } from './tool-calls.sweeps.js';

/**
 * What the tools process needs of the shield: rate windows and the decision before every call. No routes and no
 * workers.
 */
@Module({
  imports: [DecisionsModule],
  providers: [PublicCallersService, ToolAdmissionsService, ToolAdmissionsStore, ToolWindowSweep],
  exports: [PublicCallersService, ToolAdmissionsService],
})
export class ToolAdmissionsModule {}
