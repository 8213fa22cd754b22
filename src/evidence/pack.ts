import { canonicalJson } from './canonical-json.js';
import { signCose } from './cose.js';
import { PACK_CONTENT_TYPE, PACK_FORMAT, type PackContents, type ProofPack, sealedBytes } from './pack-format.js';
import type { SigningKey } from './signing-key.js';

/** What the maker of a pack decides; format, ok and the seal follow. */
export type PackParts = Omit<PackContents, 'format' | 'ok'>;

/**
 * Seals a proof pack and returns the file: canonical JSON, no byte of which can change without verification failing.
 */
export function signPack(parts: PackParts, key: SigningKey): Uint8Array {
  const contents: PackContents = { ...parts, format: PACK_FORMAT, ok: true };
  const seal = signCose(key, PACK_CONTENT_TYPE, sealedBytes(contents), true);
  const pack: ProofPack = { ...contents, seal: Buffer.from(seal).toString('base64') };
  return canonicalJson(pack);
}
