/** Records of a writer that this daemon's database takes as if a peer had brought them. */
export interface FillPlan {
  kind: 'fill';
  tenantId: string;
  writer: string;
  records: number;
}

/** All that a peer has, read and verified, and not taken. */
export interface ReadPlan {
  kind: 'read';
  tenantId: string;
  peerId: string;
  url: string;
  /** Of the peer, in base64url. */
  publicKey: string;
}

export type SyncPlan = FillPlan | ReadPlan;

export interface Measured {
  records: number;
  perSecond: number;
  /** Of a fill: its first and its last tenth. */
  first: number;
  last: number;
}
