import { problem } from '../../../common/problem/problem.js';

export type RefusalReason =
  'malformed_signature' | 'no_keys_registered' | 'unknown_key' | 'key_not_valid_now' | 'signature_invalid';

export class EnvelopeNotVerified extends problem<{ reason: RefusalReason; key_id?: string }>(
  403,
  'EnvelopeNotVerified',
  'The platform signature was not verified',
) {}

export class ContentHashMismatch extends problem<{ blake3_content_hash: string; actual_content_hash: string }>(
  400,
  'ContentHashMismatch',
  'The payload has another hash',
) {}

export class EnvelopeImported extends problem<{
  reason: 'already_imported';
  job_id: string;
  artefact_id: string;
  imported_at: string;
  receipt_id: string;
}>(409, 'EnvelopeImported', 'The result of this job was imported already') {}
