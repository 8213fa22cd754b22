import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/projects.module.js';
import { WorkspaceScanModule } from '../workspace-scan/workspace-scan.module.js';
import { ContextGraphController } from './context-graph.controller.js';
import { ContextGraphService } from './context-graph.service.js';
import { ContextGraphStore } from './context-graph.store.js';

/** What belongs to a project and how it hangs together, as nodes and edges (memory-daemon.md 4.10; D66). */
@Module({
  imports: [ProjectsModule, WorkspaceScanModule],
  controllers: [ContextGraphController],
  providers: [ContextGraphService, ContextGraphStore],
})
export class ContextGraphModule {}
