import {
  type Conversion,
  endOf,
  entityName,
  idName,
  isMembers,
  keyName,
  kindName,
  type Members,
  nameIn,
  newConversion,
  note,
  NotThisFormat,
  objectsIn,
  textOf,
  timeOf,
} from './conversion.js';

/**
 * The graph of Zep and Graphiti: `{nodes: [{uuid, name, labels, summary, attributes}], edges: [{uuid, name, fact,
 * source_node_uuid, target_node_uuid, valid_at, invalid_at, expired_at, created_at}]}`. A node becomes an entity with
 * its summary as a fact; an edge becomes an edge, and its fact one under the node it goes out from.
 */
export function convertTemporalGraph(dump: unknown): Conversion {
  if (!isMembers(dump)) throw new NotThisFormat('It is not an object with nodes and edges');
  const { nodes: named, entities, edges: sent, facts } = dump;
  const nodeList = objectsIn(named ?? entities ?? []);
  const edgeList = objectsIn(sent ?? facts ?? []);
  if (nodeList.length + edgeList.length === 0 && named === undefined && sent === undefined)
    throw new NotThisFormat('It has neither nodes nor edges');
  const conversion = newConversion();
  const nodes = new Map<string, Node>();
  for (const node of nodeList) takeNode(conversion, nodes, node);
  let without = 0;
  for (const edge of edgeList) without += takeEdge(conversion, nodes, edge) ? 0 : 1;
  note(conversion, without, 'edges left out: no uuid, no fact or no ends');
  const episodes = Array.isArray(dump.episodes) ? dump.episodes.length : 0;
  note(conversion, episodes, 'episodes left out: they are texts, which POST /v1/local/ingest takes');
  return conversion;
}

interface Node {
  kind: string;
  id: string;
  entity: string;
}

function nodeOf(uuid: string, node: Members = {}): Node {
  const labels = (Array.isArray(node.labels) ? (node.labels as unknown[]) : []).filter((label) => label !== 'Entity');
  const kind = kindName(textOf(labels[0])?.toLowerCase() ?? 'node');
  return { kind, id: idName(uuid), entity: entityName(`${kind}:${nameIn(node, 'name') ?? uuid}`) };
}

function takeNode(conversion: Conversion, nodes: Map<string, Node>, node: Members): void {
  const uuid = nameIn(node, 'uuid', 'id');
  if (uuid === undefined || nodes.has(uuid)) return;
  const { kind, id, entity } = nodeOf(uuid, node);
  nodes.set(uuid, { kind, id, entity });
  const attributes = isMembers(node.attributes) ? node.attributes : {};
  conversion.entities.push({ kind, id, payload: { name: node.name ?? null, ...attributes } });
  const summary = textOf(node.summary);
  const from = timeOf(node.created_at);
  if (summary !== undefined)
    conversion.facts.push({
      entity,
      key: 'summary',
      value: summary,
      ...(from === undefined ? {} : { valid_from: from }),
    });
}

function takeEdge(conversion: Conversion, nodes: ReadonlyMap<string, Node>, edge: Members): boolean {
  const uuid = nameIn(edge, 'uuid', 'id');
  const [source, target] = [nameIn(edge, 'source_node_uuid'), nameIn(edge, 'target_node_uuid')];
  const fact = textOf(edge.fact);
  if (uuid === undefined || source === undefined || target === undefined || fact === undefined) return false;
  const [from, to] = [nodes.get(source) ?? nodeOf(source), nodes.get(target) ?? nodeOf(target)];
  const begin = timeOf(edge.valid_at) ?? timeOf(edge.created_at);
  const end = timeOf(edge.invalid_at) ?? timeOf(edge.expired_at);
  const name = kindName(nameIn(edge, 'name') ?? 'RELATES_TO');
  const validity = { ...(begin === undefined ? {} : { valid_from: begin }), ...endOf(begin, end) };
  conversion.facts.push({ entity: from.entity, key: keyName(`${name}:${uuid}`), value: fact, ...validity });
  if (end === undefined) addEdge(conversion, { ...{ from, to, name, uuid }, fact });
  return true;
}

/** What holds no more is in the history of facts alone. Several between two nodes are one edge with all of them. */
function addEdge(
  conversion: Conversion,
  { from, to, name, uuid, fact }: { from: Node; to: Node; name: string; uuid: string; fact: string },
): void {
  const ends = { from_kind: from.kind, from_id: from.id, edge_kind: name, to_kind: to.kind, to_id: to.id };
  const same = conversion.edges.find((edge) =>
    Object.entries(ends).every(([member, value]) => edge[member as keyof typeof ends] === value),
  );
  const item = { uuid, fact };
  if (same) (same.payload as { facts: object[] }).facts.push(item);
  else conversion.edges.push({ ...ends, payload: { facts: [item] } });
}
