import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { EncryptedText } from '../../../../common/sessions/encrypted-text.js';

const PURPOSE = 'webhook secrets';
const SECRET_BYTES = 32;

/** Signing secrets of webhooks: kept so that the server can sign with them, and no reader of the database can. */
@Injectable()
export class WebhookSecrets {
  constructor(private readonly texts: EncryptedText) {}

  mint(): string {
    return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  }

  encrypt(tenantId: string, endpointId: string, secret: string): Promise<string> {
    return this.texts.encrypt(secret, { purpose: PURPOSE, context: [tenantId, endpointId] });
  }

  /** @returns undefined when it was encrypted under another server secret */
  decrypt(tenantId: string, endpointId: string, encrypted: string): Promise<string | undefined> {
    return this.texts.decrypt(encrypted, { purpose: PURPOSE, context: [tenantId, endpointId] });
  }
}
