import { canonicalJson, isRecord } from '../canonical-json.js';
import { BASE64, constant, type Members, type Shape, TEXT } from '../shape.js';

const BUNDLE_TYPE = 'application/vnd.dev.sigstore.bundle.v0.3+json';
const PAYLOAD_TYPE = 'application/vnd.in-toto+json';
export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';

/** A Sigstore bundle v0.3 with a DSSE envelope, as its JSON is. `M`: by what its signature is verified. */
export interface SignedBundle<M = object> {
  readonly verificationMaterial: M & { readonly tlogEntries: readonly unknown[] };
  readonly dsseEnvelope: { readonly payload: string; readonly signatures: readonly { keyid?: string; sig: string }[] };
}

/** What the one signature of an envelope is over, and what it is. */
export interface Enveloped {
  readonly payload: Uint8Array;
  /** The bytes that were signed. */
  readonly signed: Uint8Array;
  readonly signature: Uint8Array;
  /** Empty where none is named. */
  readonly keyId: string;
}

/** DSSE v1.0.2, "PAE". */
export function preAuthEncoding(payload: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `), payload]);
}

interface BundleParts {
  /** The member of the verification material that names the key. */
  readonly material: object;
  /** The in-toto statement. */
  readonly payload: Uint8Array;
  readonly keyId?: string | undefined;
  readonly signature: Uint8Array;
}

/** A bundle in its one form: RFC 8785 JSON in UTF-8. */
export const writeBundle = ({ material, payload, keyId, signature }: BundleParts): Uint8Array =>
  canonicalJson({
    mediaType: BUNDLE_TYPE,
    verificationMaterial: { ...material, tlogEntries: [] },
    dsseEnvelope: {
      payload: Buffer.from(payload).toString('base64'),
      payloadType: PAYLOAD_TYPE,
      signatures: [
        { ...(keyId === undefined ? {} : { keyid: keyId }), sig: Buffer.from(signature).toString('base64') },
      ],
    },
  });

/** @param material the shape of the member that names the key */
export const bundleShape = (material: Members['members']): Shape => ({
  members: {
    mediaType: constant(BUNDLE_TYPE),
    verificationMaterial: { members: { ...material, tlogEntries: [TEXT] } },
    dsseEnvelope: {
      members: {
        payload: BASE64,
        payloadType: constant(PAYLOAD_TYPE),
        signatures: [{ members: { 'keyid?': TEXT, sig: BASE64 } }],
      },
    },
  },
});

/**
 * @param parsed what `bytes` are as JSON, of the shape of a bundle
 * @throws Error for what {@link writeBundle} would not have written
 */
export function readEnvelope(bytes: Uint8Array, parsed: SignedBundle): Enveloped {
  if (Buffer.compare(canonicalJson(parsed), bytes) !== 0) throw new Error('the file is not canonical JSON (RFC 8785)');
  const { verificationMaterial, dsseEnvelope } = parsed;
  const [signature, ...rest] = dsseEnvelope.signatures;
  if (!signature || rest.length > 0) throw new Error('there must be one signature');
  if (verificationMaterial.tlogEntries.length > 0) throw new Error('entries of other logs are not looked at');
  const payload = Buffer.from(dsseEnvelope.payload, 'base64');
  return {
    payload,
    signed: preAuthEncoding(payload),
    signature: Buffer.from(signature.sig, 'base64'),
    keyId: signature.keyid ?? '',
  };
}

/** @throws Error for what is not JSON in UTF-8 */
export const parseStatement = (payload: Uint8Array): unknown =>
  JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(payload));

export const isSigstoreBundle = (parsed: unknown): boolean => isRecord(parsed) && parsed.mediaType === BUNDLE_TYPE;
