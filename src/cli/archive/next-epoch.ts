import { readFile } from 'node:fs/promises';
import type { Client } from 'pg';
import { readAtMost } from '../../common/http/bounded-answer.js';
import { failureReason } from '../../common/http/failure-reason.js';
import { type CheckpointFolder, checkpointFolder } from '../../common/evidence-log/checkpoint-folder.js';
import type { Settings } from '../../common/config/settings.js';
import { claimedFirst, type KnownKey, readKeyRows, viewOf } from '../../common/evidence-log/known-keys.js';
import { readEpochs } from '../../common/evidence-log/log-epochs.js';
import { type Checkpoint, parseCheckpoint, verifyCheckpoint } from '../../evidence/checkpoint.js';
import { epochOrigin } from '../../evidence/log-epoch.js';
import type { Query } from '../../common/tenancy/cross-tenant.js';
import { report, UsageError, UserError } from '../output.js';

export interface CheckpointOptions {
  /** A file or an address. */
  checkpoint?: string;
  withoutCheckpoint?: boolean;
}

/** A checkpoint that says how far the log had gone, and where it was found. */
interface Known {
  readonly source: string;
  readonly text: string;
  readonly checkpoint: Checkpoint;
}
/** What the operator and the folder of kept checkpoints know of the log. */
export interface KnownCheckpoints {
  readonly given: Known | undefined;
  readonly kept: readonly Known[];
  /** Of all kept ones, read or not: no later epoch gets one of them. */
  readonly origins: readonly string[];
  readonly isWithout: boolean;
}

/** What a restore has entered for the process that will sign it. */
export interface NextEpoch {
  readonly origin: string;
  readonly previous_origin: string;
  readonly restored_size: number;
  readonly last_known_size: number | null;
  /** Where the last known checkpoint was found. */
  readonly last_known_from: string | null;
}

const TIMEOUT_MS = 10_000;
/** A checkpoint with the cosignatures of many witnesses is shorter. */
const MAX_BYTES = 256 * 1024;
const MISSING =
  'A restored log begins a new epoch, whose first record says how far the old one had gone. Give its newest checkpoint with --checkpoint: a file, ' +
  'the address of the old server or of a mirror (https://.../tlog/checkpoint), or set SVC_CHECKPOINT_DIR to the folder where the server kept its own. ' +
  'Where nobody has one, say so with --without-checkpoint';

/** Before anything is changed. @throws UsageError where nothing is known and nobody said that it is so */
export async function findCheckpoints(options: CheckpointOptions, settings: Settings): Promise<KnownCheckpoints> {
  const isWithout = options.withoutCheckpoint === true;
  if (isWithout && options.checkpoint !== undefined)
    throw new UsageError('Give --checkpoint or --without-checkpoint, not both');
  const folder = checkpointFolder(settings);
  const kept = readKept(folder);
  const given = options.checkpoint === undefined ? undefined : await readGiven(options.checkpoint);
  if (!given && !isWithout && kept.length === 0) throw new UsageError(MISSING);
  return { given, kept, origins: [...folder.list().keys()], isWithout };
}

function readKept(folder: CheckpointFolder): Known[] {
  return [...folder.list().values()].flat().flatMap((file) => {
    try {
      const text = folder.read(file);
      return [{ source: file.path, text, checkpoint: parseCheckpoint(text) }];
    } catch (error) {
      report(`${file.path} is passed over: ${(error as Error).message}`);
      return [];
    }
  });
}

async function readGiven(source: string): Promise<Known> {
  const text = /^https?:\/\//.test(source) ? await download(source) : await readFile(source, 'utf8');
  try {
    return { source, text, checkpoint: parseCheckpoint(text) };
  } catch (error) {
    throw new UserError(`${source} is no checkpoint: ${(error as Error).message}`);
  }
}

async function download(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) throw new Error(`it answers ${response.status}`);
    return (await readAtMost(response, MAX_BYTES)).toString('utf8');
  } catch (error) {
    throw new UserError(`No checkpoint comes from ${url}: ${failureReason(error)}`);
  }
}

/**
 * Ends the restored log and enters its next epoch, in the open transaction: all leaves wait again, in their order and
 * before all else that waits, so that the process that signs gives them their places after the record of the epoch.
 * @returns undefined where the backup has no log
 * @throws UserError where a checkpoint is none of this log's, or older than it
 */
export async function enterNextEpoch(client: Client, known: KnownCheckpoints): Promise<NextEpoch | undefined> {
  const query: Query = async <Row>(sql: string, parameters: unknown[] = []) =>
    (await client.query(sql, parameters)).rows as Row[];
  const [head] = await query<{ checkpoint: string }>('select checkpoint from log_head');
  if (!head) {
    if (known.given) throw new UserError(`The backup has no log, so ${known.given.source} is not of it`);
    return undefined;
  }
  const restored = parseCheckpoint(head.checkpoint);
  // The chain as the backup has it: which key is pinned on this machine shows at the start.
  const rows = await readKeyRows(query);
  const last = newest(known, restored, viewOf(claimedFirst(rows), rows).known);
  if (!last && !known.isWithout) throw new UsageError(MISSING);
  const { epoch, name } = (await readEpochs(query)).at(-1) ?? (await enterFirst(query, restored.origin));
  const next = Math.max(epoch, ...known.origins.map((origin) => epochOf(origin, name))) + 1;
  const origin = epochOrigin(name, next);
  await query(ENTER, [next, origin, name, restored.origin, head.checkpoint, last?.text ?? null]);
  await client.query(WAIT_AGAIN);
  return {
    origin,
    previous_origin: restored.origin,
    restored_size: restored.size,
    last_known_size: last?.checkpoint.size ?? null,
    last_known_from: last?.source ?? null,
  };
}

/** A log that is older than epochs is the first of them, under the origin that it has. */
async function enterFirst(query: Query, origin: string): Promise<{ epoch: number; name: string }> {
  await query(ENTER, [1, origin, origin, null, null, null]);
  return { epoch: 1, name: origin };
}

/** The newest checkpoint of the restored log; of the kept ones those that are not older than it. */
function newest(known: KnownCheckpoints, restored: Checkpoint, keys: readonly KnownKey[]): Known | undefined {
  const isSigned = ({ checkpoint }: Known): boolean => keys.some(({ key }) => verifyCheckpoint(checkpoint, key));
  if (known.given) refuseForeign(known.given, restored, isSigned(known.given));
  const kept = known.kept.filter(
    ({ checkpoint: { origin, size } }) => origin === restored.origin && size >= restored.size,
  );
  for (const one of kept) if (!isSigned(one)) report(`${one.source} is passed over: no key of the backup signed it`);
  const candidates = [...kept.filter(isSigned), ...(known.given ? [known.given] : [])];
  for (const { source, checkpoint } of candidates)
    if (checkpoint.size === restored.size && Buffer.compare(checkpoint.root, restored.root) !== 0)
      throw new UserError(
        `${source} has another root than the log of the backup at the same ${restored.size} leaves: they are two logs under one name. Keep both for examination.`,
      );
  return candidates.sort((a, b) => b.checkpoint.size - a.checkpoint.size)[0];
}

function refuseForeign({ source, checkpoint }: Known, restored: Checkpoint, isSigned: boolean): void {
  if (checkpoint.origin !== restored.origin)
    throw new UserError(`${source} is of ${checkpoint.origin}, and the log of the backup is ${restored.origin}`);
  if (!isSigned) throw new UserError(`${source} was signed by no key of the backup`);
  if (checkpoint.size < restored.size)
    throw new UserError(
      `${source} is older than the backup: it has ${checkpoint.size} leaves, and the log of the backup ${restored.size}. Give the newest one there is, or the backup's own.`,
    );
}

/** The number of the epoch that an origin is of, 0 of another log. */
function epochOf(origin: string, name: string): number {
  const number = origin.startsWith(`${name}/`) ? origin.slice(name.length + 1) : '';
  return /^[1-9]\d{0,8}$/.test(number) ? Number(number) : 0;
}

const ENTER = `
  insert into log_epoch (epoch, origin, name, previous_origin, restored_checkpoint, last_known_checkpoint)
  values ($1, $2, $3, $4, $5, $6)`;
/** What waited when the backup was made has its own numbers, which may be below zero after another restore. */
const WAIT_AGAIN = `
  insert into log_pending (pending_id, record_type, record_digest) overriding system value
  select leaf_index - (select count(*) from log_leaf) + least(0, (select min(pending_id) from log_pending)), record_type, record_digest
  from log_leaf;
  truncate log_leaf, log_tile, log_head;`;

/** For people. */
export function describeNextEpoch(next: NextEpoch | undefined): string {
  if (!next) return 'The backup has no log yet.';
  const { origin, previous_origin, restored_size, last_known_size, last_known_from } = next;
  const begins = `The log goes on as ${origin}, after ${previous_origin} with ${restored_size} leaves`;
  if (last_known_size === null) return `${begins}. How many leaves are lost is not known: there was no checkpoint.`;
  const lost = last_known_size - restored_size;
  return `${begins}. ${lost === 0 ? 'None is known to be lost' : `At least ${lost} leaves are lost`}: it had ${last_known_size} by ${last_known_from}.`;
}
