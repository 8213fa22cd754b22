/**
 * `split`: two heads were seen that do not go together. `rolled_back`: the log has less than it had, and does not say
 * that it was restored.
 */
export type PeerLogState = 'ok' | 'split' | 'rolled_back';

/** A head of a log that was looked at. */
export interface SeenHead {
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array;
}

/** A log that this server watches. */
export interface PeerLog {
  readonly logId: string;
  /** The origin without the number of the epoch. */
  readonly name: string;
  /** Note verifier keys that the operator trusts for it. */
  readonly pinned: readonly string[];
  /** Receipts by which its keys name one another: base64 of the COSE_Sign1 message. */
  readonly statements: readonly string[];
  /** Of the witness that the peer is. */
  readonly witnessKey: string | null;
  readonly url: string | null;
  /** Null before the first head. */
  readonly head: SeenHead | null;
  /** The newest head as a signed note with the lines of its log, and the line of this server. */
  readonly checkpoint: string | null;
  readonly seenAt: Date | null;
  readonly cosignature: string | null;
  readonly cosignedAt: Date | null;
  readonly state: PeerLogState;
  readonly reason: string | null;
  readonly since: Date | null;
  /** The head that does not go with the newest one. */
  readonly contradiction: string | null;
  readonly forkedOrigin: string | null;
  readonly clearedBy: string | null;
  readonly clearedAt: Date | null;
}

/** Which peer of a tenant is meant. */
export interface PeerName {
  readonly tenantId: string;
  readonly peerId: string;
}

/** What a peer shows next to its newest head. */
export interface PeerNews {
  /** The receipts by which its keys name one another, in their order: base64. */
  readonly statements: readonly string[];
  /** The note by which its log names the key of the witness that it is. */
  readonly witness: string | null;
  /** The receipts that began its epochs, the oldest first: base64. */
  readonly epochs: readonly string[];
  /** That the newest of them is leaf 0 of the head. */
  readonly epochPath: readonly Uint8Array[];
}

/** A head that a peer shows, with the proof that it extends the one of `from` leaves. */
export interface ShownHead {
  readonly origin: string;
  readonly from: number;
  readonly checkpoint: string;
  readonly proof: readonly Uint8Array[];
  readonly news?: PeerNews;
}

/** What came of a head that was in order. */
export interface Observed {
  readonly origin: string;
  readonly size: number;
  /** The signed note, with the lines of its log. */
  readonly checkpoint: string;
  /** The line of this server, to be handed to the peer; null where it does not cosign the log. */
  readonly line: string | null;
  /** Why not. */
  readonly reason: string | null;
}
