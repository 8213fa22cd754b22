import type { Actor } from '../../../common/evidence-log/audit-trail.js';
import type { FactDraft } from '../facts/facts.types.js';
import type { ImportedCandidate } from '../candidates/candidate-imports.service.js';
import type { ImportedCase } from '../cases/case-imports.service.js';
import type { ImportedEdge, ImportedEntity } from '../graph/graph-imports.service.js';
import type { ImportedEngram } from '../engrams/engram-imports.service.js';
import type { ImportedRelation } from '../relations/relations.types.js';
import type { ImportedSession } from '../../governance/observe/observe.types.js';

/** Who imports. */
export interface PackCaller extends Actor {
  readonly passport?: string | undefined;
  /** May write private content of others. */
  readonly isAdmin: boolean;
}

export const PACK_SCHEMA = 'svc.pack/1';
/**
 * Counts what the format gained: 2 has versions and labels of engrams, and places of masked secrets. A pack without the
 * member is of revision 1.
 */
export const PACK_REVISION = 2;

/** The lists of a pack, in the order in which they are imported. */
export const PACK_LISTS = [
  'facts',
  'sessions',
  'entities',
  'edges',
  'relations',
  'cases',
  'candidates',
  'engrams',
] as const;
export type PackList = (typeof PACK_LISTS)[number];

/** Of one list: what was stored, what of it took the place of something else, and what was there already. */
export interface ListCounts {
  imported: number;
  superseded: number;
  skipped: number;
}

export type PackCounts = Record<PackList | 'engram_labels', ListCounts>;

interface PackSignature {
  algorithm: 'Ed25519';
  /** 32 bytes, base64url. */
  public_key: string;
  /** 64 bytes, base64url. */
  value: string;
}

/** A pack as it is written. */
export interface MemoryPack extends Record<PackList, object[]> {
  schema: typeof PACK_SCHEMA;
  revision: number;
  created_at: string;
  source: { product: string; version: string };
  passport_fpr?: string;
  principals: string[];
  signature?: PackSignature;
}

/** A secret that was masked: where it stood, never what it was. */
export interface ScreenedPlace {
  /** The path of the member; in free JSON that of the payload. */
  member: string;
  kind: string;
  /** In the text as it came, in UTF-16 units. */
  start: number;
  end: number;
}

/** Everything of a pack, read, screened and made ready to be stored. */
export interface PreparedPack {
  facts: FactDraft[];
  sessions: ImportedSession[];
  entities: ImportedEntity[];
  edges: ImportedEdge[];
  relations: ImportedRelation[];
  cases: ImportedCase[];
  candidates: ImportedCandidate[];
  engrams: ImportedEngram[];
  /** Secrets that were masked, where each stood. */
  screened: ScreenedPlace[];
}
