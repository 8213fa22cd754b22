import { parseNote } from '../../evidence/signed-note.js';
import { findCosignature, type Witness } from '../../evidence/cosignature.js';
import { readAtMost } from '../http/bounded-answer.js';

const ASK_MS = 5_000;
/** Far more than the lines of one witness. */
const MAX_ANSWER_BYTES = 16 * 1024;
const SIZE_TYPE = 'text/x.tlog.size';

/** A witness that is asked over HTTP. */
export interface RemoteWitness extends Witness {
  /** As it was configured: what identifies it. */
  readonly verifierKey: string;
  /** The submission prefix of tlog-witness. */
  readonly url: string;
}

/** A checkpoint, and the proof that it extends what the witness has seen. */
export interface Submission {
  readonly checkpoint: string;
  readonly from: number;
  readonly proof: readonly Uint8Array[];
}

/** Its signature line; or the size that it has signed last, when that is another than `from`. */
export type WitnessAnswer = { readonly line: string } | { readonly size: number };

/**
 * Asks by `POST <url>/add-checkpoint` (C2SP tlog-witness).
 * @throws Error that says why there is no cosignature
 */
export async function askWitness(witness: RemoteWitness, submission: Submission): Promise<WitnessAnswer> {
  const { checkpoint, from, proof } = submission;
  const hashes = proof.map((hash) => `${Buffer.from(hash).toString('base64')}\n`).join('');
  const response = await fetch(`${witness.url.replace(/\/$/, '')}/add-checkpoint`, {
    method: 'POST',
    body: `old ${from}\n${hashes}\n${checkpoint}`,
    redirect: 'error',
    signal: AbortSignal.timeout(ASK_MS),
  });
  const answer = Buffer.from(await readAtMost(response, MAX_ANSWER_BYTES)).toString('utf8');
  if (response.status === 200) return { line: lineIn(answer, witness, checkpoint) };
  const isSize = response.status === 409 && response.headers.get('content-type')?.startsWith(SIZE_TYPE);
  if (isSize && /^(0|[1-9]\d{0,15})\n$/.test(answer)) return { size: Number(answer) };
  const meaning = MEANINGS[response.status] ?? `it answered ${response.status}`;
  if (DISAGREEMENTS.has(response.status)) throw new WitnessDisagrees(meaning);
  throw new Error(meaning);
}

/** It has seen another log than this one, or more of it. */
export class WitnessDisagrees extends Error {}
const DISAGREEMENTS: ReadonlySet<number> = new Set([409, 422]);

const MEANINGS: Readonly<Record<number, string>> = {
  403: 'it answered 403: it knows the log, but not the key that signed the checkpoint',
  404: 'it answered 404: it does not know the log by this origin',
  409: 'it answered 409: it has seen another checkpoint of this size',
  422: 'it answered 422: the log does not extend what it has seen',
};

/** Of the lines that a witness answers, the one by the key that it is known by. */
function lineIn(answer: string, witness: Witness, checkpoint: string): string {
  const own = checkpoint.slice(0, checkpoint.indexOf('\n\n') + 2);
  const found = findCosignature(parseNote(own + answer), witness);
  if (!found) throw new Error('its answer has no cosignature that holds under the key it is known by');
  const { name, keyId, signature } = found.line;
  return `\u2014 ${name} ${Buffer.concat([keyId, signature]).toString('base64')}\n`;
}
