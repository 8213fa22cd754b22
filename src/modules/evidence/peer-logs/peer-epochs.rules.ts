import { type Checkpoint, logName } from '../../../evidence/checkpoint.js';
import { parseCose, verifyCose } from '../../../evidence/cose.js';
import { blake3 } from '../../../evidence/digest.js';
import { isWithin, type KeyChain } from '../../../evidence/key-chain.js';
import { logLeafHash } from '../../../evidence/log-entry.js';
import { type OpenEpoch, openEpoch } from '../../../evidence/log-epoch.js';
import { verifyInclusion } from '../../../evidence/merkle.js';
import { findContradiction } from '../../../evidence/verify-epoch.js';
import type { Finding } from './peer-heads.rules.js';
import type { PeerNews, SeenHead } from './peer-logs.types.js';

/** A log that was restored, and says so. */
export interface Followed {
  /** How many of the leaves that were seen are not in it any more, at least. */
  readonly lost: number;
}

/**
 * Follows a log from the epoch that was seen to the one that it shows: each begins with a receipt that says what it
 * follows. docs/formats/transparency-log.md, "Epochs".
 */
export function followEpochs(
  seen: SeenHead,
  head: Checkpoint,
  { epochs, epochPath }: Pick<PeerNews, 'epochs' | 'epochPath'>,
  chain: KeyChain,
): Followed | Finding {
  if (numberOf(head.origin) < numberOf(seen.origin))
    return { state: 'rolled_back', reason: `it shows ${head.origin} again, and had begun ${seen.origin}` };
  const records = epochs.flatMap((text) => openSigned(text, chain));
  const steps: OpenEpoch[] = [];
  for (let origin = seen.origin; origin !== head.origin; origin = steps.at(-1)!.origin) {
    const next = records.find((record) => record.previousOrigin === origin && !steps.includes(record));
    if (!next) return missing(origin, head.origin);
    steps.push(next);
  }
  const [first, last] = [steps[0]!, steps.at(-1)!];
  const leaf = logLeafHash('execution', blake3(last.receipt.cose));
  if (!verifyInclusion(leaf, 0, head.size, epochPath, head.root)) return missing(last.previousOrigin!, head.origin);
  const contradiction = findContradiction({ ...seen, note: head.note }, first);
  if (contradiction !== undefined) return { state: 'rolled_back', reason: contradiction };
  return { lost: Math.max(0, seen.size - first.restoredHead!.size) };
}

const missing = (from: string, to: string): Finding => ({
  state: 'split',
  reason: `no signed record of an epoch leads from ${from} to ${to}`,
});

function openSigned(text: string, chain: KeyChain): OpenEpoch[] {
  try {
    const cose = Buffer.from(text, 'base64');
    const epoch = openEpoch(cose);
    const signer = chain.find(epoch.receipt.kid);
    const at = Date.parse(epoch.receipt.payload.occurred_at) / 1000;
    if (!signer || !isWithin(signer.terms.get('receipts'), at)) return [];
    return verifyCose(parseCose(cose), signer.key) ? [epoch] : [];
  } catch {
    return [];
  }
}

/** The number of the epoch that an origin is of; 0 of a log that is older than epochs. */
function numberOf(origin: string): number {
  const name = logName(origin);
  return name === origin ? 0 : Number(origin.slice(name.length + 1));
}
