import { randomBytes, type X509Certificate } from 'node:crypto';
import { sha256 } from '../../evidence/sha256.js';
import {
  expectAuthority,
  openToken,
  type OpenToken,
  timestampRequest,
  tokenOfReply,
} from '../../evidence/timestamp-token.js';
import { readAtMost } from '../http/bounded-answer.js';

const ASK_MS = 10_000;
/** Far more than a token with a chain of certificates. */
const MAX_ANSWER_BYTES = 64 * 1024;
const NONCE_BYTES = 8;

/** A time-stamping authority of RFC 3161 that is asked over HTTP. */
export interface Authority {
  readonly url: string;
  /** What it is asked for, and must answer by. */
  readonly policy: string | undefined;
  /** To which a chain must lead from its certificate; unset: it is not checked whose that is. */
  readonly anchors: readonly X509Certificate[] | undefined;
}

/**
 * Asks for a token over SHA-256 of these bytes, and checks all of the answer.
 * @throws Error that says why there is none
 */
export async function askAuthority(
  { url, policy, anchors }: Authority,
  stamped: Uint8Array,
): Promise<{ token: Uint8Array; opened: OpenToken }> {
  const imprint = sha256(stamped);
  const nonce = randomBytes(NONCE_BYTES);
  // A positive INTEGER that begins with no zero has one form alone.
  nonce[0] = (nonce[0]! & 0x7f) | 0x40;
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
    body: Buffer.from(timestampRequest(imprint, nonce, policy)),
    redirect: 'error',
    signal: AbortSignal.timeout(ASK_MS),
  });
  if (response.status !== 200) throw new Error(`it answered ${response.status}`);
  const token = tokenOfReply(await readAtMost(response, MAX_ANSWER_BYTES));
  const opened = openToken(token);
  if (Buffer.compare(opened.imprint, imprint) !== 0) throw new Error('its token is over something else');
  if (opened.nonce !== nonce.toString('hex')) throw new Error('its token is not for this request: another nonce');
  if (policy !== undefined && opened.policy !== policy) throw new Error(`its token is by the policy ${opened.policy}`);
  if (anchors) expectAuthority(opened, anchors);
  return { token, opened };
}
