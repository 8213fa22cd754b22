import { BLAKE3_DIGEST } from '../../../../evidence/digest-forms.js';
import { digestBytes } from '../../../../evidence/digest.js';
import { isUuid } from '../../../../common/ids/uuid-form.js';
import { documentsWritten } from '../../../knowledge/citations/present-documents.views.js';
import type { NodeKind, RootKind, WalkedNode } from './blast-radius.types.js';

const DOCUMENT = 'document:';

/**
 * What the root of a walk may be called in the database, as parameters of the query that finds it. A document is
 * corpusId/docId, of which both may hold slashes: every one is tried as the divider.
 */
export function rootNamesOf(kind: RootKind, id: string): unknown[][] {
  if (kind === 'document') {
    const names = documentsWritten(id.startsWith(DOCUMENT) ? id.slice(DOCUMENT.length) : id);
    return [names.map(({ corpusId }) => corpusId), names.map(({ docId }) => docId)];
  }
  const uuids = isUuid(id) ? [id.toLowerCase()] : [];
  if (kind === 'fact' || kind === 'case') return [uuids];
  if (kind === 'receipt') return [uuids, BLAKE3_DIGEST.test(id) ? [Buffer.from(digestBytes('blake3', id))] : []];
  return [[id]];
}

/** How many of each kind. */
export function countKinds(nodes: readonly Pick<WalkedNode, 'kind'>[]): Partial<Record<NodeKind, number>> {
  const counts: Partial<Record<NodeKind, number>> = {};
  for (const { kind } of nodes) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}
