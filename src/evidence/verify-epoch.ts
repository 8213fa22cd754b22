import type { Checkpoint } from './checkpoint.js';
import { parseCose, verifyCose } from './cose.js';
import { blake3, digestBytes } from './digest.js';
import { expectTerm, type FileKeys } from './file-keys.js';
import { type LogEpoch, type OpenEpoch, openEpoch } from './log-epoch.js';
import { logLeafHash } from './log-entry.js';
import { verifyInclusion } from './merkle.js';
import type { EpochRecord } from './pack-format.js';

/**
 * Checks the receipt by which the log of a file's checkpoint began. Undefined where the file has none: its log began
 * before there were such receipts.
 * @throws Error saying what is wrong
 */
export function verifyEpoch(
  record: EpochRecord | null | undefined,
  checkpoint: Checkpoint | undefined,
  keys: FileKeys,
): OpenEpoch | undefined {
  if (checkpoint === undefined) throw new Error('there is no good checkpoint to check against');
  if (!record) return undefined;
  const cose = Buffer.from(record.cose, 'base64');
  const epoch = openEpoch(cose);
  if (epoch.origin !== checkpoint.origin)
    throw new Error(`the record begins ${epoch.origin}, and the checkpoint is of ${checkpoint.origin}`);
  const known = keys.get(epoch.receipt.kid);
  if (known === undefined) throw new Error(`key ${epoch.receipt.kid} of the record is not in the file`);
  if (!verifyCose(parseCose(cose), known.key)) throw new Error('the signature of the record does not hold');
  expectTerm(known, 'receipts', epoch.receipt.payload.occurred_at, 'the record');
  const path = record.path.map((digest) => digestBytes('sha256', digest));
  if (!verifyInclusion(logLeafHash('execution', blake3(cose)), 0, checkpoint.size, path, checkpoint.root))
    throw new Error('the record is not the first leaf of the log');
  return epoch;
}

/** What the record says, in a sentence. */
export function describeEpoch(epoch: OpenEpoch | undefined): string {
  if (!epoch) return 'the log began before its first leaf named what it follows';
  const { origin, previousOrigin, restoredHead, lastKnownHead } = epoch;
  if (previousOrigin === null) return `${origin} is the first epoch`;
  const start = `${origin} follows ${previousOrigin}, restored at ${restoredHead!.size} leaves`;
  if (!lastKnownHead) return `${start}; how far that had gone was not known`;
  const lost = lastKnownHead.size - restoredHead!.size;
  return lost === 0 ? `${start}, its last known` : `${start}; at least ${lost} more leaves of it are lost`;
}

/**
 * A checkpoint of another origin than the file's must be of the epoch before. That nothing of it was changed is not
 * shown by a proof: its leaves stand at other places now.
 * @throws Error where an epoch is missing, or the record of the epoch contradicts the checkpoint
 */
export function expectPrevious(
  earlier: Checkpoint,
  current: string,
  epoch: OpenEpoch | undefined,
  path: readonly unknown[],
): void {
  if (epoch?.previousOrigin !== earlier.origin) {
    const says = epoch ? describeEpoch(epoch) : `${current} does not say what it follows`;
    throw new Error(`an epoch is missing between ${earlier.origin} and ${current}: ${says}`);
  }
  if (path.length > 0) throw new Error(`no proof leads from ${earlier.origin} to ${current}`);
  const fault = findContradiction(earlier, epoch);
  if (fault !== undefined) throw new Error(fault);
}

/** Whether a checkpoint of the epoch before is one that the record of the next cannot know of. */
export function findContradiction(
  { origin, size, root }: Checkpoint,
  next: Pick<OpenEpoch, 'restoredHead' | 'lastKnownHead'> & Pick<LogEpoch, 'origin'>,
): string | undefined {
  const named = [next.restoredHead, next.lastKnownHead].filter((head) => head !== null);
  if (named.some((head) => head.size === size && Buffer.compare(head.root, root) !== 0))
    return `the checkpoint of ${size} leaves of ${origin} has another root than the one that ${next.origin} names`;
  const { lastKnownHead: last } = next;
  return last && size > last.size
    ? `${origin} had ${size} leaves, and ${next.origin} names ${last.size} as the last known of them`
    : undefined;
}

/** What came of the earlier checkpoints of a file: those of its epoch, and those of the one before. */
export function describeConsistency(extended: number, previous: number): string {
  const found = `${extended} earlier ${extended === 1 ? 'checkpoint' : 'checkpoints'} extended`;
  if (previous === 0) return found;
  return `${found}; ${previous} of the epoch before: what came after the restored checkpoint is not shown`;
}
