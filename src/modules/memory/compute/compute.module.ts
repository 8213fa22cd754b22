import { Module } from '@nestjs/common';
import { EmbeddingsModule } from '../../../common/embeddings/embeddings.module.js';
import { CreditMeterModule } from '../../operations/credits/credit-meter.module.js';
import { ComputeController } from './compute.controller.js';
import { ComputeService } from './compute.service.js';

/**
 * POST /v1/compute/embed: vectors of the configured embeddings endpoint for programs that shall not hold its key
 * (SVCD_COMPUTE_PROVIDER).
 */
@Module({
  imports: [CreditMeterModule, EmbeddingsModule],
  controllers: [ComputeController],
  providers: [ComputeService],
})
export class ComputeModule {}
