import { canonicalJson } from './canonical-json.js';
import { draftCose } from './cose.js';
import { PACK_CONTENT_TYPE, PACK_FORMAT, type PackContents, type ProofPack, sealedBytes } from './pack-format.js';
import type { Draft, KeyName } from './signer.js';

/** What the maker of a pack decides; format, ok and the seal follow. */
export type PackParts = Required<Omit<PackContents, 'format' | 'ok' | 'timestamps'>> & Pick<PackContents, 'timestamps'>;

/** Its signature makes the file: canonical JSON, no byte of which can change without verification failing. */
export function draftPack(parts: PackParts, key: Pick<KeyName, 'kid'>): Draft<Uint8Array> {
  const contents: PackContents = { ...parts, format: PACK_FORMAT, ok: true };
  const { toBeSigned, with: signed } = draftCose(key, PACK_CONTENT_TYPE, sealedBytes(contents), true);
  return {
    toBeSigned,
    with: (signature) => {
      const pack: ProofPack = { ...contents, seal: Buffer.from(signed(signature)).toString('base64') };
      return canonicalJson(pack);
    },
  };
}
