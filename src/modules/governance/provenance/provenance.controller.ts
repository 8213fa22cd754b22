import { Body, Controller } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { Caller } from '../../../common/contract/caller.js';
import { anyOf, ok } from '../../../common/contract/contract.js';
import { Route } from '../../../common/contract/route.decorator.js';
import {
  ProvenanceVerdict,
  RecordedVerdict,
  SignContentReply,
  SignContentRequest,
  VerifyContentRequest,
} from './provenance.dto.js';
import { CertificateChainRefused, SigningKeyRefused } from './provenance.problems.js';
import { ProvenanceService } from './provenance.service.js';

/** Before a body is read: flag, mode of authentication, scope, rate (memory-daemon.md 4.8, rule 3). */
const GATE = {
  tag: 'provenance',
  access: anyOf('provenance:write', 'admin:write'),
  flag: 'provenance',
  provenCaller: true,
  ratePerSecond: 10,
  bodyLimit: 16 * 1024 * 1024,
} as const;

@Controller()
export class ProvenanceController {
  constructor(private readonly provenance: ProvenanceService) {}

  @Route('POST /v1/provenance/sign', {
    ...GATE,
    summary: 'Sign content by your own key',
    description:
      'Answers a Sigstore bundle v0.3: a DSSE envelope over an in-toto Statement v1 whose subject is the SHA-256 and BLAKE3 of the content and whose predicate is the manifest, with the X.509 chain. Content and key are not stored; the key is overwritten once it has signed. Refused with 403 where SVCD_AUTH_MODE is off or dev_scopes. docs/provenance.md verifies an envelope by openssl.',
    reply: ok(SignContentReply),
    problems: [SigningKeyRefused, CertificateChainRefused],
  })
  signContent(@Caller() caller: DaemonCaller, @Body() body: SignContentRequest): Promise<SignContentReply> {
    return this.provenance.sign(caller, body);
  }

  @Route('POST /v1/provenance/verify', {
    ...GATE,
    summary: 'Verify an envelope and its content',
    description:
      'The answer is 200 whatever the envelope is: errors says what does not hold, and nothing but four true values means that all does. Certificates are judged by the time of the call. Nothing is stored. Refused with 403 where SVCD_AUTH_MODE is off or dev_scopes.',
    reply: ok(ProvenanceVerdict),
  })
  verifyContent(@Caller() caller: DaemonCaller, @Body() body: VerifyContentRequest): Promise<ProvenanceVerdict> {
    return this.provenance.verify(caller, body);
  }

  @Route('POST /v1/provenance/verify-record', {
    ...GATE,
    summary: 'Verify, and leave a receipt of it',
    description:
      'As verify, with a signed receipt (provenance.verified) of the verdict in the tenant: the digests of envelope and content, what holds and the codes of what does not. Refused with 403 where SVCD_AUTH_MODE is off or dev_scopes.',
    reply: ok(RecordedVerdict),
  })
  recordVerdict(@Caller() caller: DaemonCaller, @Body() body: VerifyContentRequest): Promise<RecordedVerdict> {
    return this.provenance.verifyAndRecord(caller, body);
  }
}
