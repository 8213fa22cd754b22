export const EVIDENCE_KINDS = ['email', 'external_id', 'key_fingerprint', 'git_author'] as const;
/** What two entities have in common. */
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];

export const LINK_STATUSES = ['candidate', 'linked', 'rejected', 'unlinked'] as const;
export type LinkStatus = (typeof LINK_STATUSES)[number];

export const SOURCES = ['fact', 'passport', 'seat'] as const;
export type IdentifierSource = (typeof SOURCES)[number];

export const EVIDENCE_STATES = ['stands', 'changed', 'gone'] as const;
/** stands: both sides still say the same. changed: one says something else. gone: one says nothing any more. */
export type EvidenceState = (typeof EVIDENCE_STATES)[number];

/** By what an entity is known elsewhere, as it is stored. */
export interface Identifier {
  entity: string;
  source: IdentifierSource;
  /** The key of the fact; of a passport and a seat what it is called by there. */
  key: string;
  /** The fact, the passport or the seat. */
  ref: string;
  value: string;
}

/** Where one side of an evidence stands. */
export type EvidenceSide = Omit<Identifier, 'value'>;

/** That two entities have the same identifier; the value itself is not kept. */
export interface Evidence {
  kind: EvidenceKind;
  sides: [EvidenceSide, EvidenceSide];
}

/** Two entities, the lesser one by its UTF-8 bytes first, and what they have in common. */
export interface Pair {
  entity: string;
  other: string;
  evidence: Evidence[];
}
