import { Module } from '@nestjs/common';
import { EmbeddingsClient } from '../../../common/embeddings/embeddings-client.js';
import { ComputeController } from './compute.controller.js';
import { ComputeService } from './compute.service.js';

/**
 * POST /v1/compute/embed: vectors of the configured embeddings endpoint for programs that shall not hold its key
 * (SVCD_COMPUTE_PROVIDER).
 */
@Module({ controllers: [ComputeController], providers: [ComputeService, EmbeddingsClient] })
export class ComputeModule {}
