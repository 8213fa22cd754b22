import { Module } from '@nestjs/common';
import { LeasesModule } from '../../coordination/leases/leases.module.js';
import { FactImportsModule } from '../../memory/facts/fact-imports.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { EffectiveLayersService } from './effective-layers.service.js';
import { LayerSyncService } from './layer-sync.service.js';
import { LayersController } from './layers.controller.js';
import { LayersService } from './layers.service.js';
import { PlaneLayersController } from './plane-layers.controller.js';

/**
 * Layers: texts for whoever works in a project, a plane or a session, in versions, each a fact (memory-daemon.md 4.10;
 * D65). Which of them hold is the effective view.
 */
@Module({
  imports: [ProjectsModule, FactImportsModule, LeasesModule],
  controllers: [LayersController, PlaneLayersController],
  providers: [LayersService, EffectiveLayersService, LayerSyncService],
  exports: [LayersService, EffectiveLayersService],
})
export class LayersModule {}
