import { namedDigest } from '../../../../evidence/digest.js';
import type { BlastRadius, NodeName, StateRoots } from './blast-radius.dto.js';
import type { BlastRadiusRow } from './blast-radius.entity.js';
import { idOf, type NodeKind } from './blast-radius.types.js';

export const nameOf = ({ kind, key }: { kind: NodeKind; key: readonly string[] }): NodeName => ({
  kind,
  id: idOf(key),
});

export const rootOf = ({ rootKind, rootKey }: BlastRadiusRow): NodeName => nameOf({ kind: rootKind, key: rootKey });

export const radiusOf = (row: BlastRadiusRow): BlastRadius => ({
  radius_id: row.radiusId,
  incident_id: row.incidentId,
  root: rootOf(row),
  node_count: row.nodeCount,
  edge_count: row.edgeCount,
  counts: row.counts,
  walked_by: row.walkedBy,
  walked_at: row.walkedAt.toISOString(),
  applied_at: row.appliedAt?.toISOString() ?? null,
  undone_at: row.undoneAt?.toISOString() ?? null,
});

export const stateRootOf = (digest: Buffer): string => namedDigest('sha256', digest);

export const stateRootsOf = (row: BlastRadiusRow, now: Buffer): StateRoots => ({
  before: stateRootOf(row.stateRoot),
  after: row.stateRootAfter && stateRootOf(row.stateRootAfter),
  now: stateRootOf(now),
});
