import { problem } from '../../../common/problem/problem.js';

/** What `reason` says of a key that nothing was signed with. */
export type KeyRefusal = 'unreadable' | 'too_weak' | 'unsupported' | 'not_of_leaf';

export class SigningKeyRefused extends problem<{ reason: KeyRefusal }>(
  400,
  'SigningKeyRefused',
  'The signing key cannot be used',
) {}

export type ChainRefusal = 'unreadable' | 'broken' | 'expired' | 'not_yet_valid' | 'unfit' | 'too_weak';

export class CertificateChainRefused extends problem<{ reason: ChainRefusal }>(
  400,
  'CertificateChainRefused',
  'The certificate chain cannot be used',
) {}
