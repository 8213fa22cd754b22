import { Module } from '@nestjs/common';
import { FactsModule } from '../facts/facts.module.js';
import { GraphModule } from '../graph/graph.module.js';
import { EnvelopesController } from './envelopes.controller.js';
import { EnvelopesService } from './envelopes.service.js';
import { EnvelopesStore } from './envelopes.store.js';
import { PlatformKeys } from './platform-keys.service.js';

/**
 * POST /v1/result-envelope/import: results of platform jobs, signed by a registered key, each imported once into the
 * facts and the graph.
 */
@Module({
  imports: [FactsModule, GraphModule],
  controllers: [EnvelopesController],
  providers: [EnvelopesService, EnvelopesStore, PlatformKeys],
})
export class EnvelopesModule {}
