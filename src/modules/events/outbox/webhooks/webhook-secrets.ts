import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { EncryptedText } from '../../../../common/sessions/encrypted-text.js';

const PURPOSE = 'webhook secrets';
const SECRET_BYTES = 32;

/** Signing secrets of webhooks: kept so that the server can sign with them, and no reader of the database can. */
@Injectable()
export class WebhookSecrets {
  constructor(private readonly sealed: EncryptedText) {}

  mint(): string {
    return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  }

  seal(tenantId: string, endpointId: string, secret: string): Promise<string> {
    return this.sealed.encrypt(secret, { purpose: PURPOSE, context: [tenantId, endpointId] });
  }

  /** @returns undefined when it was sealed under another server secret */
  open(tenantId: string, endpointId: string, sealed: string): Promise<string | undefined> {
    return this.sealed.decrypt(sealed, { purpose: PURPOSE, context: [tenantId, endpointId] });
  }
}
