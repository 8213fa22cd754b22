import { type ContentDigest, parseContentDigest } from '../../../common/peer-auth/content-digest.js';
import type { PeerHead } from '../../../common/peer-auth/peer-check.js';
import { COMPONENTS, DELEGATION_HEADER, DIGEST_HEADER, NONCE_HEADER } from '../../../common/peer-auth/peer-request.js';
import {
  MalformedSignature,
  parseSignature,
  type RequestSignature,
} from '../../../common/peer-auth/request-signature.js';
import {
  HandshakeRequired,
  SignatureExpired,
  SignatureMalformed,
  SignatureNotYetValid,
} from '../../../common/problem/peer-problems.js';

/** Clocks of two hosts may differ by so many seconds. */
const SKEW_SECONDS = 60;
/** As long as a nonce works, in seconds: what was signed earlier cannot have a nonce that does. */
const AGE_SECONDS = 120;

/** The fields that a signature covers. */
export interface Fields {
  readonly contentDigest: string;
  readonly nonce: string;
  readonly delegation: string | undefined;
}

export interface SignedHead {
  readonly signature: RequestSignature;
  readonly fields: Fields;
  readonly digest: ContentDigest;
}

/**
 * What a head says of its signature, of which nothing is verified yet.
 * @throws HandshakeRequired, SignatureMalformed
 */
export function readHead({ header }: Pick<PeerHead, 'header'>): SignedHead {
  const [input, signature] = [header('signature-input'), header('signature')];
  if (input === undefined && signature === undefined) throw new HandshakeRequired({ hint: HINT }, NOT_SIGNED);
  const [contentDigest, nonce] = [header(DIGEST_HEADER)?.trim(), header(NONCE_HEADER)?.trim()];
  if (input === undefined || signature === undefined) throw malformed('signature and signature-input come together');
  if (contentDigest === undefined) throw malformed('content-digest is missing; an empty body has one, too');
  if (nonce === undefined) throw malformed('x-svc-sync-nonce is missing; POST /v1/sync/handshake/nonce gives one');
  const fields = { contentDigest, nonce, delegation: header(DELEGATION_HEADER)?.trim() };
  try {
    const parsed = parseSignature(input, signature);
    checkComponents(parsed.components, fields.delegation !== undefined);
    return { signature: parsed, fields, digest: parseContentDigest(contentDigest) };
  } catch (error) {
    throw malformed((error as Error).message);
  }
}

function checkComponents(components: readonly string[], hasDelegation: boolean): void {
  const expected: readonly string[] = hasDelegation ? [...COMPONENTS, DELEGATION_HEADER] : COMPONENTS;
  const isExact = components.length === expected.length && expected.every((name) => components.includes(name));
  if (!isExact) throw new MalformedSignature(`the signature covers exactly ${expected.join(', ')}`);
}

/**
 * @param now seconds since 1970
 * @throws SignatureExpired, SignatureNotYetValid
 */
export function checkTimes({ created, expires }: Pick<RequestSignature, 'created' | 'expires'>, now: number): void {
  if (created > now + SKEW_SECONDS)
    throw new SignatureNotYetValid(
      {},
      `created is ${instant(created)}, here it is ${instant(now)}: look at the clocks`,
    );
  const end = Math.min(created + AGE_SECONDS + SKEW_SECONDS, expires ?? Infinity);
  if (end <= now)
    throw new SignatureExpired(
      {},
      `It held until ${instant(end)}, here it is ${instant(now)}: sign again, and look at the clocks`,
    );
}

const malformed = (reason: string): SignatureMalformed =>
  new SignatureMalformed({}, `${reason} (docs/formats/peer-requests.md)`);
const instant = (seconds: number): string => new Date(Math.floor(seconds) * 1000).toISOString();

const NOT_SIGNED =
  'SVCD_SYNC_MUTUAL_AUTH=1: this takes a request that a peer has signed, whatever other credential it has';
const HINT =
  'Sign @method, @target-uri, content-digest and x-svc-sync-nonce with the Ed25519 key of a peer (RFC 9421), as docs/formats/peer-requests.md says';
