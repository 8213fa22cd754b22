import { Module } from '@nestjs/common';
import { WorkspaceScansController } from './workspace-scans.controller.js';
import { WorkspaceScansService } from './workspace-scans.service.js';
import { WorkspaceScansStore } from './workspace-scans.store.js';

/** Asks for scans of the folder of SVCD_WORKSPACE_ROOT and says how they go (memory-daemon.md 4.11; D66). */
@Module({
  controllers: [WorkspaceScansController],
  providers: [WorkspaceScansService, WorkspaceScansStore],
  exports: [WorkspaceScansService],
})
export class WorkspaceScanModule {}
