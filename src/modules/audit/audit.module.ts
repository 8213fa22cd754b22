import { Module } from '@nestjs/common';
import { AuditController } from './audit.controller.js';
import { BundleVerificationService } from './bundle-verification.service.js';

/** Says of a bundle that somebody brings whether it is what was signed: exports and proof packs, of this server or another, in a thread of its own. */
@Module({
  controllers: [AuditController],
  providers: [BundleVerificationService],
})
export class AuditModule {}
