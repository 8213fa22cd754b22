import { Module } from '@nestjs/common';
import { DossiersModule } from '../dossiers/dossiers.module.js';
import { LayersModule } from '../layers/layers.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { StorybookRowsStore } from './storybook-rows.store.js';
import { StorybookSourcesService } from './storybook-sources.service.js';
import { StorybooksController } from './storybooks.controller.js';
import { StorybooksService } from './storybooks.service.js';

/**
 * Storybooks: what is known of a project as one text, sentence by sentence with what it rests on, in versions that are
 * compared (memory-daemon.md 2.4, 4.10; D67). Made of rows alone: the same state gives the same bytes.
 */
@Module({
  imports: [DossiersModule, LayersModule, ProjectsModule],
  controllers: [StorybooksController],
  providers: [StorybookRowsStore, StorybookSourcesService, StorybooksService],
})
export class StorybooksModule {}
