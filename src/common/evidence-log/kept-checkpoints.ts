import { parseCheckpoint, verifyCheckpoint, type Checkpoint } from '../../evidence/checkpoint.js';
import { parseCose, verifyCose } from '../../evidence/cose.js';
import { type OpenEpoch, openEpoch } from '../../evidence/log-epoch.js';
import { findContradiction } from '../../evidence/verify-epoch.js';
import type { Query } from '../tenancy/cross-tenant.js';
import type { CheckpointFolder, KeptFile } from './checkpoint-folder.js';
import type { KnownKey, KnownKeys } from './known-keys.js';
import { readEpochs, type StoredEpoch } from './log-epochs.js';
import { LogReader } from './log-reader.js';

/** What the kept checkpoints are held against. */
interface Log {
  readonly reader: LogReader;
  readonly head: Checkpoint | undefined;
  readonly keys: readonly KnownKey[];
  /** Of each past origin, the epoch that follows it. */
  readonly next: ReadonlyMap<string, OpenEpoch>;
}

/**
 * Holds the log of the database against checkpoints that were kept outside: it has to extend those of its origin, and
 * its epochs have to name the other origins.
 * @param isAll look at every kept checkpoint, not at the newest of each origin alone
 * @returns what is wrong, by the first checkpoint that says so; undefined: nothing
 */
export async function findKeptFault(
  query: Query,
  { folder, knownKeys }: { folder: CheckpointFolder; knownKeys: KnownKeys },
  isAll: boolean,
): Promise<string | undefined> {
  const kept = [...folder.list().values()].map((files) => (isAll ? files : files.slice(0, 1)));
  if (kept.flat().length === 0) return undefined;
  const epochs = await readEpochs(query);
  const reader = new LogReader(query);
  const published = await reader.findHead();
  // After a restore, until a process that signs has begun the epoch.
  if (!published && epochs.at(-1)?.record === null) return undefined;
  const keys = await knownKeys.read(query);
  const head = published && parseCheckpoint(published.checkpoint);
  const log: Log = { reader, head, keys, next: chainOf(epochs, head, keys) };
  for (const files of kept) {
    const fault = await findFaultOf(files, folder, log);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** From the newest epoch backwards, as far as signed records name one another. */
function chainOf(
  epochs: readonly StoredEpoch[],
  head: Checkpoint | undefined,
  keys: readonly KnownKey[],
): Map<string, OpenEpoch> {
  const next = new Map<string, OpenEpoch>();
  let origin: string | null | undefined = head?.origin;
  for (const { record } of [...epochs].reverse()) {
    const epoch = record && openSigned(record, keys);
    if (!epoch || epoch.origin !== origin || epoch.previousOrigin === null) break;
    next.set(epoch.previousOrigin, epoch);
    origin = epoch.previousOrigin;
  }
  return next;
}

function openSigned(record: Uint8Array, keys: readonly KnownKey[]): OpenEpoch | undefined {
  try {
    const epoch = openEpoch(record);
    const isSigned = keys.some(({ key }) => key.kid === epoch.receipt.kid && verifyCose(parseCose(record), key));
    return isSigned ? epoch : undefined;
  } catch {
    return undefined;
  }
}

async function findFaultOf(files: readonly KeptFile[], folder: CheckpointFolder, log: Log) {
  const checkpoints: Checkpoint[] = [];
  for (const file of files) {
    const checkpoint = openKept(file, folder, log.keys);
    if (typeof checkpoint === 'string') return checkpoint;
    checkpoints.push(checkpoint);
  }
  const [first] = checkpoints;
  if (!first) return undefined;
  if (first.origin === log.head?.origin) return findExtensionFault(checkpoints, log.head, log.reader);
  const next = log.next.get(first.origin);
  if (!next) return `${nameOf(first)} was kept, and no epoch of this log follows ${first.origin}`;
  const last = next.lastKnownHead ?? next.restoredHead!;
  if (first.size > last.size) return `${nameOf(first)} was kept, and ${next.origin} says that it follows ${last.size}`;
  return checkpoints.map((one) => findContradiction(one, next)).find((fault) => fault !== undefined);
}

/** @returns a sentence where it is none of this log's */
function openKept(file: KeptFile, folder: CheckpointFolder, keys: readonly KnownKey[]): Checkpoint | string {
  const what = `the kept checkpoint ${file.size} of ${file.origin}`;
  try {
    const checkpoint = parseCheckpoint(folder.read(file));
    if (checkpoint.origin !== file.origin || checkpoint.size !== file.size) return `${what} is another`;
    return keys.some(({ key }) => verifyCheckpoint(checkpoint, key))
      ? checkpoint
      : `${what} was signed by no key that this database knows`;
  } catch (error) {
    return `${what} cannot be read: ${(error as Error).message}`;
  }
}

async function findExtensionFault(
  kept: readonly Checkpoint[],
  head: Checkpoint,
  reader: LogReader,
): Promise<string | undefined> {
  const larger = kept.find(({ size }) => size > head.size);
  if (larger) return `${nameOf(larger)} was kept, and the log has only ${head.size} leaves: it was set back`;
  const roots = await reader.rootsAt(kept.map(({ size }) => size));
  const other = kept.find(({ root }, n) => Buffer.compare(root, roots[n]!) !== 0);
  return other && `${nameOf(other)} was kept, and the log does not extend it: it was set back or rewritten`;
}

const nameOf = ({ origin, size }: Checkpoint): string => `the checkpoint of ${size} leaves of ${origin}`;
