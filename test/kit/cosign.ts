import { noteKeyIdOf, verifierKeyOf } from '../../src/evidence/signed-note.js';
import type { SigningKey } from '../../src/evidence/signing-key.js';

const COSIGNATURE_V1 = 0x04;

/** The line of a witness over the text of a checkpoint, as C2SP tlog-cosignature has it; seconds since 1970. */
export function cosign(text: string, name: string, key: SigningKey, seconds: number): string {
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(BigInt(seconds));
  const keyId = noteKeyIdOf(COSIGNATURE_V1, name, key.publicKey.bytes);
  const signature = key.sign(Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`));
  return `\u2014 ${name} ${Buffer.concat([keyId, time, signature]).toString('base64')}\n`;
}

/** The verifier key of a witness: `<name>+<key id>+<base64 of 0x04 and the key>`. */
export const witnessKeyOf = (name: string, key: SigningKey): string =>
  verifierKeyOf(COSIGNATURE_V1, name, key.publicKey.bytes);
