import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { EncryptedText } from '../../../common/sessions/encrypted-text.js';

const SECRET_BYTES = 32;

/** What is kept sealed of an integration: each has a key of its own. */
type Sealed = 'github token' | 'github webhook secret';

/** Tokens and webhook secrets of integrations: no reader of the database can read them. */
@Injectable()
export class GithubSecrets {
  constructor(private readonly sealed: EncryptedText) {}

  mint(): string {
    return randomBytes(SECRET_BYTES).toString('hex');
  }

  seal(purpose: Sealed, tenantId: string, integrationId: string, text: string): Promise<string> {
    return this.sealed.encrypt(text, { purpose, context: [tenantId, integrationId] });
  }

  /** @returns undefined when it was sealed under another server secret */
  open(purpose: Sealed, tenantId: string, integrationId: string, sealed: string): Promise<string | undefined> {
    return this.sealed.decrypt(sealed, { purpose, context: [tenantId, integrationId] });
  }
}
