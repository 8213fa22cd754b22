export const PASSPORT_KINDS = ['human', 'agent', 'service'] as const;
export type PassportKind = (typeof PASSPORT_KINDS)[number];

export const PASSPORT_STATES = ['active', 'revoked'] as const;
export type PassportState = (typeof PASSPORT_STATES)[number];

export const MINT_STATUSES = ['pending', 'approved', 'rejected'] as const;
export type MintStatus = (typeof MINT_STATUSES)[number];

/** What is said of a passport when it is registered, or asked for. */
export interface PassportDraft {
  passportId: string;
  displayName: string;
  kind: PassportKind;
  publicKey: string | null;
  fingerprint: string | null;
  attested: boolean;
}

/** What ended with a passport in the database. */
export interface EndedWith {
  leases: number;
  gates: number;
  intents: number;
  peers: number;
}
