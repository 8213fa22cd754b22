import { Controller, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ok, unchecked, type DocumentedBody } from '../../../common/contract/contract.js';
import { ClientAddresses } from '../../../common/http/client-address.js';
import { RawBody } from '../../../common/http/raw-body.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { BundleVerdictBody } from './audit.dto.js';
import { BundleMalformed, BundleTooLarge } from './audit.problems.js';
import { MAX_COMPRESSED_BYTES, VERIFY_ADDRESS } from './audit.types.js';
import { BundleVerificationService } from './bundle-verification.service.js';

const TYPES = [
  'application/zip',
  'application/gzip',
  'application/octet-stream',
  'application/json',
  'application/cbor',
];

const BUNDLE: DocumentedBody = {
  description: 'An export or a proof pack. What it is is found out by its bytes, whatever the content type.',
  content: Object.fromEntries(TYPES.map((type) => [type, { schema: { type: 'string', format: 'binary' } }])),
};

@Controller()
export class AuditController {
  constructor(
    private readonly bundles: BundleVerificationService,
    private readonly addresses: ClientAddresses,
  ) {}

  @Route(VERIFY_ADDRESS, {
    tag: 'audit',
    summary: 'Verify an export or a proof pack',
    description:
      'A zip archive, JSON or CBOR, the latter two also compressed by gzip or zlib; at most 8 MiB, and 64 MiB or 200 times as much when it is opened. Archives inside are not opened. The answer is 200 also for a bundle that does not verify: ok and checks say so. It needs no scope of its own: a bundle holds all that it is judged by. Where many wait, callers take turns by address, and those with a credential do not wait for those without.',
    access: unchecked(),
    reply: ok(BundleVerdictBody),
    problems: [BundleMalformed, BundleTooLarge],
    body: 'any',
    bodyLimit: MAX_COMPRESSED_BYTES,
    requestBody: BUNDLE,
  })
  async verifyBundle(@RawBody() bundle: Buffer, @Req() request: FastifyRequest): Promise<BundleVerdictBody> {
    const bringer = { address: this.addresses.of(request), isIdentified: request.daemonCaller !== undefined };
    return this.bundles.verify(bundle, bringer);
  }
}
