import { problem } from '../../../common/problem/problem.js';

export type PackSignatureFault = 'malformed_signature' | 'fingerprint_mismatch' | 'signature_invalid';

export class PackNotVerified extends problem<{ reason: PackSignatureFault; pack_hash: string }>(
  403,
  'PackNotVerified',
  'The signature of the pack was not verified',
) {}

export class PrincipalNotYours extends problem<{ member: string; principal: string }>(
  403,
  'PrincipalNotYours',
  'Private content of another principal',
) {}

export class PackTooLarge extends problem<{ max_bytes: number }>(413, 'PackTooLarge', 'The pack is too large') {}
