import { decodeExactly } from '../../../evidence/base64.js';
import { canonicalJson } from '../../../evidence/canonical-json.js';
import { blake3, namedDigest } from '../../../evidence/digest.js';
import { findInexactness } from '../../../evidence/exact-json.js';
import { readAs } from '../../../common/fields/contract.pipe.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { MAX_JOB_ID_BYTES, ResultPayload, type ImportEnvelopeRequest } from './envelopes.dto.js';
import { ContentHashMismatch } from './envelopes.problems.js';

/** What stands before the signed JSON, so that a signature made for this is never one for anything else. */
const DOMAIN = 'svc-result-envelope-v1\n';
const MAX_VALUES = 2_000_000;

/** What the platform signs: the domain, then the canonical JSON of these members. docs/formats/result-envelope.md. */
export function signedMessageOf(envelope: ImportEnvelopeRequest): Uint8Array {
  const { schema_version, job_id, tenant_id, blake3_content_hash } = envelope;
  const signed = canonicalJson({
    schema_version,
    job_id,
    tenant_id,
    blake3_content_hash,
    passport_fpr: envelope.passport_fpr ?? null,
    credit_spend_receipt: envelope.credit_spend_receipt ?? null,
    companion_artifacts: (envelope.companion_artifacts ?? []).map((companion) => ({
      name: companion.name,
      blake3_content_hash: companion.blake3_content_hash,
      media_type: companion.media_type ?? null,
      size_bytes: companion.size_bytes ?? null,
    })),
  });
  return Buffer.concat([Buffer.from(DOMAIN, 'ascii'), signed]);
}

/** @returns undefined for what is no key id, dot and 64 bytes in base64url */
export function parseSignature(text: string): { keyId: string; signature: Uint8Array } | undefined {
  const [, keyId, encoded] = /^(.{1,512})\.([A-Za-z0-9_-]{86})$/s.exec(text) ?? [];
  // The last of 86 characters has four bits to spare.
  const signature = decodeExactly(encoded, 'base64url', 64);
  return keyId === undefined || signature === undefined ? undefined : { keyId, signature };
}

/** @throws ValidationFailed */
export function checkNames({ job_id, companion_artifacts = [] }: ImportEnvelopeRequest): void {
  if (Buffer.byteLength(job_id) > MAX_JOB_ID_BYTES)
    throw invalid('body.job_id', `must not be longer than ${MAX_JOB_ID_BYTES} bytes in UTF-8`);
  const names = new Set<string>();
  for (const [index, { name }] of companion_artifacts.entries()) {
    if (names.has(name)) throw invalid(`body.companion_artifacts[${index}].name`, 'stands for another artifact too');
    names.add(name);
  }
}

/**
 * The bytes that the hash covers.
 * @throws ValidationFailed, ContentHashMismatch
 */
export function canonicalPayload({ payload, blake3_content_hash }: ImportEnvelopeRequest): {
  bytes: Uint8Array;
  hash: Uint8Array;
} {
  const fault = findInexactness(payload, MAX_VALUES);
  if (fault) throw invalid(`body.payload${fault.path}`, fault.message);
  const bytes = canonicalJson(payload);
  const hash = blake3(bytes);
  const actual = namedDigest('blake3', hash);
  if (actual === blake3_content_hash) return { bytes, hash };
  throw new ContentHashMismatch(
    { blake3_content_hash, actual_content_hash: actual },
    'blake3_content_hash is not that of the canonical JSON (RFC 8785) of payload; see docs/formats/result-envelope.md',
  );
}

/** The members of the payload that have a meaning; of the others nothing is read. @throws ValidationFailed */
export function readPayload(payload: Record<string, unknown>): ResultPayload {
  const known = ['schema', 'purpose_tag', 'facts', 'entities', 'edges'].filter((name) => Object.hasOwn(payload, name));
  return readAs(ResultPayload, Object.fromEntries(known.map((name) => [name, payload[name]])), 'body.payload');
}

/**
 * `art_` and the first 16 bytes, in hexadecimal, of BLAKE3-256 over the canonical JSON of [tenant_id, job_id,
 * blake3_content_hash].
 */
export function artefactIdOf({ tenant_id, job_id, blake3_content_hash }: ImportEnvelopeRequest): string {
  const digest = blake3(canonicalJson([tenant_id, job_id, blake3_content_hash]));
  return `art_${Buffer.from(digest).toString('hex').slice(0, 32)}`;
}
