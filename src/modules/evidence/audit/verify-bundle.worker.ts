import { BundleTooBig, BundleUnreadable } from '../../../evidence/export/bundle-limits.js';
import { verifyBundle } from '../../../evidence/export/verify-bundle.js';
import { parseTrustedKeys } from '../../../evidence/trusted-keys.js';
import type { BundleOutcome, BundleTask } from './audit.types.js';

/** What a worker thread runs. Errors of ours lose their class on the way, so they go as data. */
export default async function verify({ bytes, limits, keys }: BundleTask): Promise<BundleOutcome> {
  try {
    return { verdict: await verifyBundle(bytes, limits, { formKeys: parseTrustedKeys(JSON.stringify({ keys })) }) };
  } catch (error) {
    if (error instanceof BundleUnreadable) return { refused: 'unreadable', detail: error.message };
    if (error instanceof BundleTooBig) return { refused: 'too big', detail: error.message };
    throw error;
  }
}
