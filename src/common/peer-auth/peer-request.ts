import type { Covered } from './request-signature.js';

/** The single-use nonce of a signed request, and in an answer the next one. */
export const NONCE_HEADER = 'x-svc-sync-nonce';
/** Delegations, the first of the chain first, separated by commas. */
export const DELEGATION_HEADER = 'x-svc-delegation';
export const DIGEST_HEADER = 'content-digest';

/** What every signature of a peer covers. A delegation that is sent is covered as well. */
export const COMPONENTS = ['@method', '@target-uri', DIGEST_HEADER, NONCE_HEADER] as const;

/** What of a request its signature covers. */
export interface PeerRequest {
  readonly method: string;
  /** Absolute, as the client asked for it. */
  readonly targetUri: string;
  readonly contentDigest: string;
  readonly nonce: string;
  readonly delegation?: string | undefined;
}

/** In the order of the specification of peer requests: docs/formats/peer-requests.md. */
export function coveredBy({ method, targetUri, contentDigest, nonce, delegation }: PeerRequest): Covered {
  const values: Covered = [
    ['@method', method],
    ['@target-uri', targetUri],
    [DIGEST_HEADER, contentDigest],
    [NONCE_HEADER, nonce],
  ];
  return delegation === undefined ? values : [...values, [DELEGATION_HEADER, delegation]];
}
