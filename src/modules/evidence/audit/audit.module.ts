import { Module } from '@nestjs/common';
import { AuditController } from './audit.controller.js';
import { BundleShares } from './bundle-shares.js';
import { BundleVerificationService } from './bundle-verification.service.js';

/**
 * Verifies bundles sent by callers against their signatures: exports and proof packs, of this server or another, in a
 * thread of its own.
 */
@Module({
  controllers: [AuditController],
  providers: [BundleShares, BundleVerificationService],
})
export class AuditModule {}
