import { CborError, type CborValue, decodeCanonical, encodeCanonical } from '../cbor.js';
import {
  type CoseMessage,
  decodeMessage,
  draftMessage,
  expectLabels,
  type IntMap,
  kidOf,
  LABEL,
  verifyMessage,
} from './cose-message.js';
import { entryOf, hashesOf, type LoggedRecord, readEntry, rootOf } from './logged-record.js';
import { parseCheckpoint } from '../checkpoint.js';
import type { Draft, KeyName, SignatureVerifier } from '../signer.js';

/** RFC 9942: RFC9162_SHA256 as the structure, -1 the inclusion proofs. */
const RFC9162_SHA256 = 1;
const INCLUSION = -1;
/** CWT claims (RFC 8392), and two of our own from the range for private use. */
const CLAIM = { issuer: 1, subject: 2, treeSize: -70001, leafIndex: -70002 } as const;

/** What a COSE receipt says. */
export interface CoseReceipt {
  readonly message: CoseMessage;
  readonly kid: string;
  /** The origin of the log. */
  readonly origin: string;
  /** The entry that is in the log: transparency-log.md, "Entries". */
  readonly entry: string;
  readonly index: number;
  readonly size: number;
  readonly path: readonly Uint8Array[];
}

/**
 * A receipt of inclusion of RFC 9942 section 5.2.1, with the claims that RFC 9943 asks of receipts: the log signs the
 * root that the path leads to. Nothing in a root says how large its tree is, so that claims of our own do.
 */
export function draftCoseReceipt(logged: LoggedRecord, key: KeyName): Draft<Uint8Array> {
  const { origin, size, root } = parseCheckpoint(logged.checkpoint);
  const { leaf_index: index } = logged;
  const claims = new Map<number, CborValue>([
    [CLAIM.issuer, origin],
    [CLAIM.subject, entryOf(logged)],
    [CLAIM.treeSize, size],
    [CLAIM.leafIndex, index],
  ]);
  const proof = encodeCanonical([size, index, hashesOf(logged.path)]);
  return draftMessage(key, {
    protected: [
      [LABEL.claims, claims],
      [LABEL.vds, RFC9162_SHA256],
    ],
    unprotected: new Map([[LABEL.vdp, new Map([[INCLUSION, [proof]]])]]),
    payload: root,
    isDetached: true,
  });
}

/** @throws CborError for what {@link draftCoseReceipt} would not have written */
export function readCoseReceipt(bytes: Uint8Array): CoseReceipt {
  const message = decodeMessage(bytes);
  if (message.payload !== null) throw new CborError('the payload of a receipt is detached');
  const { issuer, subject, treeSize, leafIndex } = readClaims(message.protected);
  expectLabels(message.protected, [LABEL.alg, LABEL.kid, LABEL.claims, LABEL.vds]);
  if (message.protected.get(LABEL.vds) !== RFC9162_SHA256) throw new CborError('the structure must be RFC9162_SHA256');
  const [size, index, path] = readProof(message.unprotected);
  readEntry(subject);
  if (size !== treeSize || index !== leafIndex) throw new CborError('the proof is of another place than was signed');
  return { message, kid: kidOf(message), origin: issuer, entry: subject, index, size, path };
}

/** Whether the log signed the root that the receipt's path leads to. @throws Error where it leads to none */
export const verifyCoseReceipt = (receipt: CoseReceipt, key: SignatureVerifier): boolean =>
  verifyMessage(receipt.message, key, rootOf(receipt.entry, receipt));

function readClaims(header: IntMap): { issuer: string; subject: string; treeSize: number; leafIndex: number } {
  const claims = header.get(LABEL.claims);
  if (!(claims instanceof Map)) throw new CborError('the protected header must hold CWT claims');
  expectLabels(claims as IntMap, Object.values(CLAIM));
  const [issuer, subject, treeSize, leafIndex] = Object.values(CLAIM).map((label) => (claims as IntMap).get(label));
  if (typeof issuer !== 'string' || typeof subject !== 'string') throw new CborError('iss and sub must be text');
  if (!Number.isSafeInteger(treeSize) || !Number.isSafeInteger(leafIndex))
    throw new CborError('the size of the tree and the index must be integers');
  return { issuer, subject, treeSize: treeSize as number, leafIndex: leafIndex as number };
}

function readProof(unprotected: IntMap): [size: number, index: number, path: readonly Uint8Array[]] {
  expectLabels(unprotected, [LABEL.vdp]);
  const proofs = unprotected.get(LABEL.vdp);
  if (!(proofs instanceof Map)) throw new CborError('the proofs must be a map');
  expectLabels(proofs as IntMap, [INCLUSION]);
  const list = (proofs as IntMap).get(INCLUSION);
  const [bytes, ...rest] = Array.isArray(list) ? (list as readonly CborValue[]) : [];
  if (!(bytes instanceof Uint8Array) || rest.length > 0) throw new CborError('there must be one inclusion proof');
  const proof = decodeCanonical(bytes);
  const [size, index, path, ...more] = Array.isArray(proof) ? (proof as readonly CborValue[]) : [];
  const isPath = Array.isArray(path) && path.every((hash) => hash instanceof Uint8Array && hash.length === 32);
  if (!Number.isSafeInteger(size) || !Number.isSafeInteger(index) || !isPath || more.length > 0)
    throw new CborError('an inclusion proof is a list of size, index and path');
  return [size as number, index as number, path];
}
