import { createPublicKey, verify } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createBLAKE3 } from 'hash-wasm';
import { decodeExactly } from '../../../evidence/base64.js';
import { canonicalJson, isRecord } from '../../../evidence/canonical-json.js';
import { namedDigest, type Digest } from '../../../evidence/digest.js';
import { VerifyingKey } from '../../../evidence/signing-key.js';
import type { PackSignatureFault } from './packs.problems.js';

/** After so many items other requests get their turn. */
const A_TURN = 200;

/** The bytes that the signature covers, and their digest. */
export interface CanonicalPack {
  readonly bytes: Uint8Array;
  readonly hash: Digest;
}

/** RFC 8785 of the pack without its signature, made item by item: a large one must not stop the process. */
export async function canonicalPack(pack: Record<string, unknown>): Promise<CanonicalPack> {
  const hasher = await createBLAKE3();
  hasher.init();
  const parts: Uint8Array[] = [];
  let count = 0;
  for (const part of partsOf(pack)) {
    hasher.update(part);
    parts.push(part);
    count += 1;
    if (count % A_TURN === 0) await nextTurn();
  }
  return { bytes: Buffer.concat(parts), hash: namedDigest('blake3', hasher.digest('binary')) };
}

/** Members by their names in UTF-16 code units, as the standard has them. */
function* partsOf(pack: Record<string, unknown>): Generator<Uint8Array> {
  let before = '{';
  for (const name of Object.keys(pack).sort()) {
    if (name === 'signature') continue;
    yield Buffer.from(`${before}${JSON.stringify(name)}:`);
    const value = pack[name];
    if (Array.isArray(value)) yield* itemsOf(value);
    else yield canonicalJson(value);
    before = ',';
  }
  yield Buffer.from(before === '{' ? '{}' : '}');
}

function* itemsOf(list: readonly unknown[]): Generator<Uint8Array> {
  yield Buffer.from('[');
  for (const [index, item] of list.entries()) {
    if (index > 0) yield Buffer.from(',');
    yield canonicalJson(item);
  }
  yield Buffer.from(']');
}

/**
 * Whether the signature in a pack holds: the key that stands in it has the fingerprint that the signed bytes name.
 * @returns undefined where it holds
 */
export async function findSignatureFault(
  signature: unknown,
  passportFpr: string | undefined,
  bytes: Uint8Array,
): Promise<PackSignatureFault | undefined> {
  const parsed = readSignature(signature);
  if (!parsed) return 'malformed_signature';
  if (parsed.key.kid !== passportFpr) return 'fingerprint_mismatch';
  return (await verifies(parsed.key, bytes, parsed.value)) ? undefined : 'signature_invalid';
}

function readSignature(signature: unknown): { key: VerifyingKey; value: Uint8Array } | undefined {
  if (!isRecord(signature) || signature.algorithm !== 'Ed25519') return undefined;
  const x = decodeExactly(signature.public_key, 'base64url', 32);
  const value = decodeExactly(signature.value, 'base64url', 64);
  if (!x || !value || Object.keys(signature).length !== 3) return undefined;
  try {
    return { key: new VerifyingKey(x), value };
  } catch {
    return undefined;
  }
}

/** In a thread of its own: over a large pack it takes a while. */
const verifies = (key: VerifyingKey, bytes: Uint8Array, signature: Uint8Array): Promise<boolean> =>
  new Promise((resolve, reject) => {
    verify(null, bytes, createPublicKey(key.toPem()), signature, (error, holds) =>
      error ? reject(error) : resolve(holds),
    );
  });
