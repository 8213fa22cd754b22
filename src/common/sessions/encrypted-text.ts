import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ServerSecret } from './server-secret.js';

const PREFIX = 'sealed:v1:';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * What a text is encrypted for: it is decrypted for the same purpose and the same context alone, so that no row can
 * stand in for another.
 */
export interface EncryptionContext {
  /** A constant word: each purpose has a key of its own. */
  purpose: string;
  /** Where the text belongs: tenant and key of its row. */
  context: readonly string[];
}

/** Encrypts text that must not be readable from the database: AES-256-GCM under a key of the server's secret. */
@Injectable()
export class EncryptedText {
  constructor(private readonly secret: ServerSecret) {}

  async encrypt(text: string, { purpose, context }: EncryptionContext): Promise<string> {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', await this.secret.keyFor(purpose), iv);
    cipher.setAAD(Buffer.from(JSON.stringify(context)));
    const encrypted = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return PREFIX + encrypted.toString('base64url');
  }

  /** @returns undefined when it was encrypted under another secret, for something else, or was changed */
  async decrypt(encrypted: string, { purpose, context }: EncryptionContext): Promise<string | undefined> {
    if (!encrypted.startsWith(PREFIX)) return undefined;
    const bytes = Buffer.from(encrypted.slice(PREFIX.length), 'base64url');
    if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
    const decipher = createDecipheriv('aes-256-gcm', await this.secret.keyFor(purpose), bytes.subarray(0, IV_BYTES));
    decipher.setAAD(Buffer.from(JSON.stringify(context)));
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      return decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      return undefined;
    }
  }

  /** Whether a stored text is encrypted. JSON never looks like it. */
  isEncrypted(text: string): boolean {
    return text.startsWith(PREFIX);
  }
}
