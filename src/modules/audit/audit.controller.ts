import { Controller } from '@nestjs/common';
import { ApiBody, ApiConsumes } from '@nestjs/swagger';
import { ok } from '../../common/contract/contract.js';
import { RawBody, TakesAnyBody } from '../../common/http/raw-body.js';
import { DaemonRoute } from '../../daemon/contract/daemon-route.decorator.js';
import { unchecked } from '../../daemon/contract/scopes.js';
import { BundleVerdictBody } from './audit.dto.js';
import { BundleMalformed, BundleTooLarge } from './audit.problems.js';
import { MOST_COMPRESSED_BYTES } from './audit.types.js';
import { BundleVerificationService } from './bundle-verification.service.js';

const ADDRESS = 'POST /v1/audit/bundle/verify';
const TYPES = [
  'application/zip',
  'application/gzip',
  'application/octet-stream',
  'application/json',
  'application/cbor',
];

@Controller()
export class AuditController {
  constructor(private readonly bundles: BundleVerificationService) {}

  @TakesAnyBody(ADDRESS)
  @ApiConsumes(...TYPES)
  @ApiBody({
    description: 'An export or a proof pack. What it is is found out by its bytes, whatever the content type.',
    schema: { type: 'string', format: 'binary' },
  })
  @DaemonRoute(ADDRESS, {
    tag: 'audit',
    summary: 'Verify a bundle: an export, or a proof pack',
    description:
      'A zip archive, JSON or CBOR, the latter two also compressed by gzip or zlib; at most 8 MiB, and 64 MiB or 200 times as much when it is opened. Archives inside are not opened. The answer is 200 also for a bundle that does not verify: ok and checks say so. It needs no scope of its own: a bundle holds all that it is judged by.',
    scopes: unchecked(),
    reply: ok(BundleVerdictBody),
    problems: [BundleMalformed, BundleTooLarge],
    bodyLimit: MOST_COMPRESSED_BYTES,
  })
  async verifyBundle(@RawBody() bundle: Buffer): Promise<BundleVerdictBody> {
    return this.bundles.verify(bundle);
  }
}
