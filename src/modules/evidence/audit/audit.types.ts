import type { BundleLimits } from '../../../evidence/export/bundle-limits.js';
import type { BundleVerdict } from '../../../evidence/bundle-verdict.js';
import type { SigningJwk } from '../../../common/evidence-log/signing-keys.dto.js';

/** Where bundles are verified. */
export const VERIFY_ADDRESS = 'POST /v1/audit/bundle/verify';

/** The largest body, as it comes (memory-daemon.md 8). */
export const MAX_COMPRESSED_BYTES = 8 * 1024 * 1024;

export const BUNDLE_LIMITS: BundleLimits = {
  bytes: 64 * 1024 * 1024,
  ratio: 200,
  ratioFloor: 1024 * 1024,
  entries: 64,
};

/** What the thread is handed, and what it hands back. */
export interface BundleTask {
  readonly bytes: Uint8Array;
  readonly limits: BundleLimits;
  /** Public keys of this server: a receipt in a standard form has none inside. */
  readonly keys: readonly SigningJwk[];
}
export type BundleOutcome =
  { readonly verdict: BundleVerdict } | { readonly refused: 'unreadable' | 'too big'; readonly detail: string };
