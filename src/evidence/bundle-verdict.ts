import { type VerificationCheck, failedCheck } from './verification-check.js';

/** What was found of a bundle, and what it says of itself. */
export interface BundleVerdict {
  readonly ok: boolean;
  readonly checks: readonly VerificationCheck[];
  /** Of an export or pack, or `tlog-proof`, `cose`, `cose-receipt`, `statement`, `sigstore`. */
  readonly format: string;
  /** What the bundle claims; null where it could not be read so far. */
  readonly tenantId: string | null;
  readonly subject: { readonly type: string; readonly id: string | null } | null;
  /** Ids of the keys inside; of a standard form, those that it names. */
  readonly kids: readonly string[];
  /**
   * Those of them that no other one inside vouches for; none where the keys are not sound, nor of a standard form,
   * which has none inside.
   */
  readonly roots: readonly string[];
  /** Each of its keys is among those that were given to check it with, or a chain leads there. */
  readonly isByTrusted: boolean;
}

/** Of what cannot be read in its format. */
export const unreadable = (format: string, error: unknown): BundleVerdict => ({
  ok: false,
  checks: [failedCheck('format', error)],
  format,
  tenantId: null,
  subject: null,
  kids: [],
  roots: [],
  isByTrusted: false,
});
