import { sha256 } from '../../../evidence/sha256.js';

/** By what a passage is known to a watched query: its text in its document, whatever the version. */
export function passageKey(passage: {
  ownerTenantId: string;
  corpusId: string;
  docId: string;
  contentHash: Uint8Array;
}): Buffer {
  const { ownerTenantId, corpusId, docId, contentHash } = passage;
  const name = [ownerTenantId, corpusId, docId, Buffer.from(contentHash).toString('hex')];
  return sha256(JSON.stringify(name));
}
