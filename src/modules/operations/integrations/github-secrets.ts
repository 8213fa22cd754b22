import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { EncryptedText } from '../../../common/sessions/encrypted-text.js';

const SECRET_BYTES = 32;

/** What is kept encrypted of an integration: each has a key of its own. */
type KeptSecret = 'github token' | 'github webhook secret';

/** Tokens and webhook secrets of integrations: no reader of the database can read them. */
@Injectable()
export class GithubSecrets {
  constructor(private readonly texts: EncryptedText) {}

  mint(): string {
    return randomBytes(SECRET_BYTES).toString('hex');
  }

  encrypt(purpose: KeptSecret, tenantId: string, integrationId: string, text: string): Promise<string> {
    return this.texts.encrypt(text, { purpose, context: [tenantId, integrationId] });
  }

  /** @returns undefined when it was encrypted under another server secret */
  decrypt(
    purpose: KeptSecret,
    tenantId: string,
    integrationId: string,
    encrypted: string,
  ): Promise<string | undefined> {
    return this.texts.decrypt(encrypted, { purpose, context: [tenantId, integrationId] });
  }
}
