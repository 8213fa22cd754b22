import { type Checkpoint, parseCheckpoint } from './checkpoint.js';
import { findCosignature, type Witness } from './cosignature.js';
import { type VerificationCheck, checkBy } from './verification-check.js';

/** What a verifier knows of the log from elsewhere, and asks of a file's checkpoint. */
export interface FreshnessDemand {
  /** A checkpoint that the verifier has kept: the file's is it, or extends it. */
  readonly checkpoint?: Checkpoint;
  /** The name of the log, with or without its epoch. */
  readonly origin?: string;
  /** Each of them has cosigned the file's checkpoint. */
  readonly witnesses?: readonly Witness[];
}

/** What a pack or an export carries of the log. */
export interface CarriedLog {
  readonly checkpoint: string;
  /** Earlier checkpoints; that they are extended is what the step `consistency` has found. */
  readonly consistency: readonly { readonly checkpoint: string }[];
}

/** The step `freshness`: of a file whose other steps have been done. docs/formats/proof-pack.md. */
export function checkFreshness(log: CarriedLog | null, demand: FreshnessDemand): VerificationCheck {
  return checkBy('freshness', () => {
    if (log === null) throw new Error('the file carries no checkpoint: ask for it with include=proofs');
    return judge(log, parseCheckpoint(log.checkpoint), demand);
  });
}

function judge(log: CarriedLog, head: Checkpoint, { checkpoint, origin, witnesses = [] }: FreshnessDemand): string {
  if (origin !== undefined) expectOrigin(head.origin, origin);
  if (checkpoint !== undefined) expectExtended(log, head, checkpoint);
  const seen = witnesses.map((witness) => `${witness.name} saw it ${witnessedAt(head, witness)}`);
  const kept = checkpoint === undefined ? [] : [`extends the kept one of ${checkpoint.size} leaves`];
  return [`${head.origin}, ${head.size} leaves`, ...kept, ...seen].join('; ');
}

/** An epoch of a log is named `<name>/<epoch>`. @throws Error where the origin is another's */
export function expectOrigin(origin: string, name: string): void {
  const isEpoch = origin.startsWith(`${name}/`) && !origin.slice(name.length + 1).includes('/');
  if (origin !== name && !isEpoch) throw new Error(`the checkpoint is of ${origin}, not of ${name}`);
}

function expectExtended(log: CarriedLog, head: Checkpoint, kept: Checkpoint): void {
  const { origin, size } = kept;
  if (head.note.text === kept.note.text) return;
  if (head.origin !== origin)
    throw new Error(`the kept checkpoint is of ${origin}, that of the file of ${head.origin}`);
  if (head.size === size)
    throw new Error(
      `the log shows two histories: this checkpoint and the kept one have ${size} leaves and other roots`,
    );
  if (head.size < size)
    throw new Error(`the file is older than the kept checkpoint: ${head.size} leaves, and ${size}; ask for a new one`);
  if (!log.consistency.some((earlier) => parseCheckpoint(earlier.checkpoint).note.text === kept.note.text))
    throw new Error('nothing shows that it extends the kept checkpoint: ask for the file with earlier_checkpoint');
}

function witnessedAt(head: Checkpoint, witness: Witness): string {
  const found = findCosignature(head.note, witness);
  if (found === undefined) throw new Error(`no cosignature of ${witness.name} holds under the checkpoint`);
  return new Date(found.seconds * 1000).toISOString();
}
