import { Controller } from '@nestjs/common';
import { ok } from '../../common/contract/contract.js';
import { SigningKeySet } from '../../common/evidence/signing-keys.dto.js';
import { DaemonRoute } from '../../daemon/contract/daemon-route.decorator.js';
import { open } from '../../daemon/contract/scopes.js';
import { AuthModeReply } from './auth.dto.js';
import { AuthService } from './auth.service.js';

const tag = 'auth';

@Controller()
export class AuthController {
  constructor(private readonly auth: AuthService) {}

  @DaemonRoute('GET /v1/auth/keys', {
    tag,
    summary: 'Public keys that sign evidence, with their validity',
    description:
      'A JSON Web Key Set (RFC 7517). A key that was rotated out stays: what it signed from nbf to exp is still verified with it.',
    scopes: open(),
    reply: ok(SigningKeySet),
  })
  async listKeys(): Promise<SigningKeySet> {
    return this.auth.listKeys();
  }

  @DaemonRoute('GET /v1/auth/mode', {
    tag,
    summary: 'How the daemon finds out who calls, and what to send',
    scopes: open(),
    reply: ok(AuthModeReply),
  })
  async describeMode(): Promise<AuthModeReply> {
    return this.auth.describeMode();
  }
}
