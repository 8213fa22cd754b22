import type { Checkpoint } from '../../../evidence/checkpoint.js';
import { emptyRoot, type TreeHead, verifyConsistency } from '../../../evidence/merkle.js';
import { noteKeyId, type NoteSignature } from '../../../evidence/signed-note.js';
import type { VerifyingKey } from '../../../evidence/signing-key.js';
import type { PeerLogState, SeenHead } from './peer-logs.types.js';

/** Something that a log must not do was seen. */
export interface Finding {
  readonly state: Exclude<PeerLogState, 'ok'>;
  readonly reason: string;
}

/** How a head that the peer itself showed as its newest stands to the newest that was seen. */
export type Judgement = 'extends' | 'outdated' | Finding;

const NOTHING: TreeHead = { size: 0, root: emptyRoot() };

/**
 * @param seen of the same origin; null before the first
 * @param from the size that was seen when the peer was asked
 */
export function judgeHead(
  seen: SeenHead | null,
  head: Checkpoint,
  { from, proof }: { from: number; proof: readonly Uint8Array[] },
): Judgement {
  const before = seen ?? NOTHING;
  const { origin, size } = head;
  if (seen && isFork(seen, head)) return forkOf(head);
  if (size < from)
    return { state: 'rolled_back', reason: `${origin} had ${from} leaves when it was asked, and shows ${size}` };
  // Somebody else has seen more meanwhile.
  if (before.size !== from) return 'outdated';
  if (verifyConsistency(before, head, proof)) return 'extends';
  return {
    state: 'split',
    reason: `the head of ${size} leaves of ${origin} does not extend the one of ${before.size} that was seen`,
  };
}

/** The answer of a witness to a head that anybody may have sent (C2SP tlog-witness), apart from its signature. */
export type WitnessVerdict =
  | { readonly status: 200 }
  | { readonly status: 400 | 422; readonly reason: string }
  | { readonly status: 409; readonly size: number };

export function judgeRequest(
  seen: SeenHead | null,
  head: Checkpoint,
  { from, proof }: { from: number; proof: readonly Uint8Array[] },
): WitnessVerdict {
  const before = seen ?? NOTHING;
  if (from > head.size) return { status: 400, reason: 'the old size is larger than the checkpoint' };
  if (from !== before.size) return { status: 409, size: before.size };
  if (head.size === 0 && Buffer.compare(head.root, NOTHING.root) !== 0)
    return { status: 422, reason: 'the root of a log without leaves must be SHA-256 of nothing' };
  return verifyConsistency(before, head, proof)
    ? { status: 200 }
    : { status: 422, reason: 'the proof does not lead from the old size to the checkpoint' };
}

/** Two heads of one size: no log that only grows has them. */
export const isFork = (seen: SeenHead, { origin, size, root }: Checkpoint): boolean =>
  seen.origin === origin && seen.size === size && Buffer.compare(seen.root, root) !== 0;

export const forkOf = ({ origin, size }: Checkpoint): Finding => ({
  state: 'split',
  reason: `two heads of ${size} leaves of ${origin} were signed, with different roots`,
});

/**
 * The lines under a head by keys of its log.
 * @returns none where no key signed it, or a line by one of them does not hold
 */
export function ownLines({ note, origin }: Checkpoint, keys: readonly VerifyingKey[]): NoteSignature[] {
  const body = Buffer.from(note.text);
  const found = keys.flatMap((key) => {
    const keyId = noteKeyId(origin, key.bytes);
    return note.signatures
      .filter((line) => line.name === origin && Buffer.compare(line.keyId, keyId) === 0)
      .map((line) => ({ line, holds: key.verify(body, line.signature) }));
  });
  return found.every(({ holds }) => holds) ? found.map(({ line }) => line) : [];
}
