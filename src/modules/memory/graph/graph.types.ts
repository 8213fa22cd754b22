/**
 * What a kind is used by: entities that are stored, edges, or the ends of edges whether or not an entity is stored
 * there.
 */
export const KIND_USES = ['entity', 'edge', 'endpoint'] as const;
export type KindUse = (typeof KIND_USES)[number];

/** An entity as its newest version has it. */
export interface Entity {
  kind: string;
  id: string;
  version: number;
  payload: unknown;
  isDeleted: boolean;
  createdAt: Date;
  updatedAt: Date;
  updatedBy: string;
}

export interface EntityVersion {
  kind: string;
  id: string;
  version: number;
  payload: unknown;
  isDeleted: boolean;
  storedAt: Date;
  storedBy: string;
}

/** What makes an edge the one it is. */
export interface EdgeIdentity {
  from_kind: string;
  from_id: string;
  edge_kind: string;
  to_kind: string;
  to_id: string;
}

export interface Edge extends EdgeIdentity {
  payload: unknown;
  version: number;
  isDeleted: boolean;
  createdAt: Date;
  updatedAt: Date;
  updatedBy: string;
}

export interface Kind {
  kind: string;
  usedBy: KindUse[];
  firstSeenAt: Date;
  /** Live entities and live edges of the kind. */
  entityCount: number;
  edgeCount: number;
}

/** Which edges of a node are followed. */
export const DIRECTIONS = ['out', 'in', 'both'] as const;
export type Direction = (typeof DIRECTIONS)[number];

export interface GraphNode {
  kind: string;
  id: string;
}

/** A part of a list: so many rows, after a position in its order. */
export interface Part<K> {
  after: K | undefined;
  limit: number;
}

/** Characters of a kind and of an id at most. */
export const MAX_KIND = 64;
export const MAX_ID = 256;
/** What an edge joins can be anything that has an id: the longest is a document's, of a corpus and a doc id. */
export const MAX_END_ID = 1100;
/** Bytes of all five members of an edge's identity: what a key of an index can hold. */
export const MAX_IDENTITY_BYTES = 2400;
/** Largest payload of an entity or an edge, in bytes as JSON. */
export const MAX_PAYLOAD_BYTES = 256 * 1024;
