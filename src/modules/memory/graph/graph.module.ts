import { Module } from '@nestjs/common';
import { EdgesController } from './edges.controller.js';
import { EdgesService } from './edges.service.js';
import { EdgesStore } from './edges.store.js';
import { EntitiesController } from './entities.controller.js';
import { EntitiesService } from './entities.service.js';
import { EntitiesStore } from './entities.store.js';
import { GraphImportsService } from './graph-imports.service.js';
import { GraphImportsStore } from './graph-imports.store.js';
import { KindsController } from './kinds.controller.js';
import { KindsService } from './kinds.service.js';
import { KindsStore } from './kinds.store.js';

/**
 * The typed graph of a tenant: entities with all their versions, edges between them, and the kinds in use
 * (memory-daemon.md 4.3).
 */
@Module({
  controllers: [EntitiesController, EdgesController, KindsController],
  providers: [
    EntitiesService,
    EntitiesStore,
    EdgesService,
    EdgesStore,
    KindsService,
    KindsStore,
    GraphImportsService,
    GraphImportsStore,
  ],
  exports: [EntitiesService, EdgesService, GraphImportsService],
})
export class GraphModule {}
