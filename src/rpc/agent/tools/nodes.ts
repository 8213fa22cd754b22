import type { Address } from '../../../common/contract/contract.js';
import { readDocumentId } from '../../../common/contract/document-ids.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { ID_KINDS, idOf, kindsToTry, readId, type IdKind } from '../agent-ids.rules.js';
import { findAt, findIfAllowed, type RouteParts, type ServerName, type Servers } from '../servers.js';

/** A thing in the graph: kind and id, as edges name their ends. */
export interface Node {
  kind: string;
  id: string;
}

/** Where a thing is looked up, to see that there is one. */
const LOOKUPS: Partial<Record<IdKind, (id: string) => [ServerName, Address, RouteParts]>> = {
  passage: (chunkId) => ['api', 'GET /v1/passages/:chunkId', { params: { chunkId } }],
  document: (id) => ['api', 'GET /v1/documents/:corpusId/:docId', { params: { ...readDocumentId(id)! } }],
  fact: (factId) => ['daemon', 'GET /v1/facts/:factId', { params: { factId } }],
  answer: (answerId) => ['api', 'GET /v1/answers/:answerId', { params: { answerId } }],
  work: (id) => ['daemon', 'GET /v1/work/:id', { params: { id } }],
};

/**
 * The thing that an id or a name stands for. What the servers keep must be there; a name such as `person:ada` is an
 * entity of the graph, whether or not one is stored there.
 * @throws ValidationFailed for an id of nothing
 */
export async function nodeOf(argument: string, text: string, servers: Servers): Promise<Node> {
  const { kind, id } = readId(text);
  if (kind === 'document' && !readDocumentId(id)) throw invalid(argument, 'of a document is corpus/doc');
  if (kind !== undefined && !LOOKUPS[kind]) return { kind, id };
  for (const candidate of kind === undefined ? kindsToTry(id) : [kind]) {
    const look = findAt(servers, ...LOOKUPS[candidate]!(id));
    if (await (kind === undefined ? findIfAllowed(look) : look)) return { kind: candidate, id };
  }
  const [, named, name] = /^([\w-]{1,64}):(.+)$/s.exec(text) ?? [];
  if (kind === undefined && named !== undefined && name !== undefined) return { kind: named, id: name };
  throw invalid(
    argument,
    `names nothing that there is: ${text}; send an id that a tool answered, or a name such as person:ada`,
  );
}

const KINDS: readonly string[] = ID_KINDS;

/** The id as tools take it. */
export const nameOf = (kind: string, id: string): string =>
  KINDS.includes(kind) ? idOf(kind as IdKind, id) : `${kind}:${id}`;
