import { Controller } from '@nestjs/common';
import { anyone, ok } from '../../../common/contract/contract.js';
import { SigningKeySet } from '../../../common/evidence-log/signing-keys.dto.js';
import { Route } from '../../../common/contract/route.decorator.js';
import { AuthModeReply } from './auth.dto.js';
import { AuthService } from './auth.service.js';

const tag = 'auth';

@Controller()
export class AuthController {
  constructor(private readonly auth: AuthService) {}

  @Route('GET /v1/auth/keys', {
    tag,
    summary: 'List the public keys that sign evidence',
    description:
      'A JSON Web Key Set (RFC 7517), with the validity of each key. A key that was rotated out stays: what it signed from nbf to exp is still verified with it.',
    access: anyone(),
    reply: ok(SigningKeySet),
  })
  async listKeys(): Promise<SigningKeySet> {
    return this.auth.listKeys();
  }

  @Route('GET /v1/auth/mode', {
    tag,
    summary: 'Read how callers authenticate',
    access: anyone(),
    reply: ok(AuthModeReply),
  })
  async describeMode(): Promise<AuthModeReply> {
    return this.auth.describeMode();
  }
}
