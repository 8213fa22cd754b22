import { decodeExactly } from './base64.js';

/** A checkpoint that a witness is asked to cosign, and the proof that it extends what the witness has seen. */
export interface WitnessRequest {
  /** The size from which the proof leads. */
  readonly from: number;
  readonly proof: readonly Uint8Array[];
  /** A signed note. */
  readonly checkpoint: string;
}

/** As C2SP tlog-witness bounds it. */
const MAX_PROOF_LINES = 63;
const HASH_BYTES = 32;

/** The body of `add-checkpoint` (C2SP tlog-witness). */
export function writeWitnessRequest({ from, proof, checkpoint }: WitnessRequest): string {
  const hashes = proof.map((hash) => `${Buffer.from(hash).toString('base64')}\n`).join('');
  return `old ${from}\n${hashes}\n${checkpoint}`;
}

/** Reads what {@link writeWitnessRequest} writes; the checkpoint as text that nobody has looked at. @throws Error */
export function readWitnessRequest(body: Uint8Array): WitnessRequest {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  const end = text.indexOf('\n\n');
  if (end < 0) throw new Error('the body is a line "old <size>", lines of the proof, an empty line and a checkpoint');
  const [old = '', ...lines] = text.slice(0, end).split('\n');
  const [, digits] = /^old (0|[1-9]\d{0,15})$/.exec(old) ?? [];
  const from = Number(digits);
  if (digits === undefined || !Number.isSafeInteger(from))
    throw new Error('the first line must be "old <size>", a decimal number without leading zeroes');
  if (lines.length > MAX_PROOF_LINES) throw new Error(`the proof has more than ${MAX_PROOF_LINES} lines`);
  return { from, proof: lines.map(readHash), checkpoint: text.slice(end + 2) };
}

function readHash(line: string): Uint8Array {
  const hash = decodeExactly(line, 'base64', HASH_BYTES);
  if (!hash) throw new Error('a line of the proof is not the base64 of 32 bytes');
  return Uint8Array.from(hash);
}
