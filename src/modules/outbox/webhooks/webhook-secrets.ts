import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SealedText } from '../../../common/sessions/sealed-text.js';

const PURPOSE = 'webhook secrets';
const SECRET_BYTES = 32;

/** Signing secrets of webhooks: kept so that the server can sign with them, and no reader of the database can. */
@Injectable()
export class WebhookSecrets {
  constructor(private readonly sealed: SealedText) {}

  mint(): string {
    return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  }

  seal(tenantId: string, endpointId: string, secret: string): Promise<string> {
    return this.sealed.seal(secret, { purpose: PURPOSE, context: [tenantId, endpointId] });
  }

  /** @returns undefined when it was sealed under another server secret */
  open(tenantId: string, endpointId: string, sealed: string): Promise<string | undefined> {
    return this.sealed.open(sealed, { purpose: PURPOSE, context: [tenantId, endpointId] });
  }
}
