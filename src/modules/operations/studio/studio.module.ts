import { Module } from '@nestjs/common';
import { EngramImportsModule } from '../../memory/engrams/engram-imports.module.js';
import { GraphImportsModule } from '../../memory/graph/graph-imports.module.js';
import { LayersModule } from '../../projects/layers/layers.module.js';
import { StudioController } from './studio.controller.js';
import { StudioLibrary } from './studio-library.service.js';
import { StudioService } from './studio.service.js';

/** The studio library: packages of engrams, kinds and layers, pinned by digest, and their installs (D71). */
@Module({
  imports: [EngramImportsModule, GraphImportsModule, LayersModule],
  controllers: [StudioController],
  providers: [StudioLibrary, StudioService],
})
export class StudioModule {}
