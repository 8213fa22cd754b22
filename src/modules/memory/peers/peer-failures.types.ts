/** A request to a peer did not succeed. */
export abstract class PeerFailure extends Error {
  constructor(
    readonly peerId: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(`The peer ${peerId} ${message}`, options);
  }

  /** Whether the same request may succeed later, unchanged. */
  abstract readonly isRetryable: boolean;
}

/** It has no address, or one that this daemon does not call. */
export class PeerNotCallable extends PeerFailure {
  readonly isRetryable = false;
}

/** It did not answer in time, or the connection broke: what it did is not known. */
export class PeerUnreachable extends PeerFailure {
  readonly isRetryable = true;
}

/** Its answer is none that a peer gives: too long, or not JSON. */
export class PeerAnswerUnusable extends PeerFailure {
  readonly isRetryable = false;
}

/** Its answers do not hold against its signature, or against each other: somebody changed them. */
export class PeerAnswerBroken extends PeerFailure {
  readonly isRetryable = false;

  constructor(
    peerId: string,
    readonly code: 'MANIFEST_UNVERIFIED' | 'ROOT_UNVERIFIED',
    detail: string,
  ) {
    super(peerId, `${detail} (${code})`);
  }
}

/** It answered with a problem. */
export class PeerRefused extends PeerFailure {
  constructor(
    peerId: string,
    readonly status: number,
    /** `NONCE_REPLAYED`; undefined where it was no problem of a daemon. */
    readonly code: string | undefined,
    readonly isRetryable: boolean,
    readonly retryAfterSec: number | undefined,
    detail: string,
  ) {
    super(peerId, `answered ${status}${code === undefined ? '' : ` ${code}`}${detail === '' ? '' : `: ${detail}`}`);
  }
}
