import { Module } from '@nestjs/common';
import { EvidenceModule } from '../../../common/evidence-log/evidence-log.module.js';
import { EvidenceController } from './public-log.controller.js';
import { PublicLogService } from './public-log.service.js';

/**
 * What anyone may see of the evidence: checkpoint, tiles and proofs of the transparency log, and the public signing
 * keys.
 */
@Module({
  imports: [EvidenceModule],
  controllers: [EvidenceController],
  providers: [PublicLogService],
})
export class PublicLogModule {}
