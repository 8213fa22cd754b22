import { Module } from '@nestjs/common';
import { EdgesController } from './edges.controller.js';
import { EdgesService } from './edges.service.js';
import { EdgesStore } from './edges.store.js';
import { EntitiesController } from './entities.controller.js';
import { EntitiesService } from './entities.service.js';
import { EntitiesStore } from './entities.store.js';
import { GraphImportsModule } from './graph-imports.module.js';
import { KindsController } from './kinds.controller.js';
import { KindsService } from './kinds.service.js';
import { KindsStore } from './kinds.store.js';

/**
 * The typed graph of a tenant: entities with all their versions, edges between them, and the kinds in use
 * (memory-daemon.md 4.3).
 */
@Module({
  imports: [GraphImportsModule],
  controllers: [EntitiesController, EdgesController, KindsController],
  providers: [EntitiesService, EntitiesStore, EdgesService, EdgesStore, KindsService, KindsStore],
  exports: [EntitiesService, EdgesService, GraphImportsModule],
})
export class GraphModule {}
