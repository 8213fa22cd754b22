import { noteLine, parseNote } from '../../evidence/signed-note.js';
import { findCosignature, type Witness } from '../../evidence/cosignature.js';
import { type WitnessRequest, writeWitnessRequest } from '../../evidence/witness-request.js';
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

/** Its signature line; or the size that it has signed last, when that is another than `from`. */
export type WitnessAnswer = { readonly line: string } | { readonly size: number };

/**
 * Asks by `POST <url>/add-checkpoint` (C2SP tlog-witness).
 * @throws Error that says why there is no cosignature
 */
export async function askWitness(
  witness: RemoteWitness,
  request: WitnessRequest,
  send: typeof fetch = fetch,
): Promise<WitnessAnswer> {
  const response = await send(`${witness.url.replace(/\/$/, '')}/add-checkpoint`, {
    method: 'POST',
    body: writeWitnessRequest(request),
    redirect: 'error',
    signal: AbortSignal.timeout(ASK_MS),
  });
  const answer = (await readAtMost(response, MAX_ANSWER_BYTES)).toString('utf8');
  if (response.status === 200) return { line: lineIn(answer, witness, request.checkpoint) };
  const isSize = response.status === 409 && response.headers.get('content-type')?.startsWith(SIZE_TYPE);
  if (isSize && /^(0|[1-9]\d{0,15})\n$/.test(answer)) return { size: Number(answer) };
  const meaning = MEANINGS[response.status] ?? `it answered ${response.status}`;
  if (DISAGREEMENTS.has(response.status)) throw new WitnessDisagrees(meaning);
  throw new Error(meaning);
}

/** A head to be cosigned, whose log proves that it extends earlier ones. */
export interface ProvenHead {
  readonly checkpoint: string;
  readonly size: number;
  /** The proof that it extends the tree of so many leaves. */
  prove(from: number): Promise<readonly Uint8Array[]>;
}

/**
 * Asks a witness from the size that it is thought to have seen, and from the one that it says where that is another.
 * @param send how it is reached, where that is not by any address
 * @returns its signature line
 * @throws WitnessDisagrees, or another Error that says why there is no cosignature
 */
export async function askForLine(
  witness: RemoteWitness,
  head: ProvenHead,
  thought: number,
  send: typeof fetch = fetch,
): Promise<string> {
  const ask = async (from: number): Promise<WitnessAnswer> => {
    const { checkpoint, size } = head;
    const start = Math.min(from, size);
    return askWitness(witness, { checkpoint, from: start, proof: await head.prove(start) }, send);
  };
  const first = await ask(thought);
  if ('line' in first) return first.line;
  if (first.size > head.size)
    throw new WitnessDisagrees(
      `it has seen ${first.size} leaves, and the log has ${head.size}: the log was rolled back`,
    );
  const second = await ask(first.size);
  if ('line' in second) return second.line;
  throw new Error('it was asked by somebody else at the same time');
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
  return noteLine(found.line);
}
