/** An expansion done the plain way, to hold the database's against: everything in memory, every rule written out. */

export interface Relation {
  from_id: number;
  to_id: number;
  edge_type: string;
  confidence: number;
}

export interface ExpansionRequest {
  seed_artifact_ids: number[];
  edge_types?: string[];
  max_hops?: number;
  budget?: number;
  min_confidence?: number;
}

const byText = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

export function expandPlainly(relations: readonly Relation[], request: ExpansionRequest) {
  const { seed_artifact_ids, edge_types = [], max_hops = 2, budget = 1000, min_confidence = 0 } = request;
  const known = new Map([...new Set(seed_artifact_ids)].map((id) => [id, { hop: 0, score: 1 }]));
  const used = new Set<string>();
  let traversed = 0;
  let hopsUsed = 0;
  let frontier = [...known.keys()].sort((a, b) => a - b);
  for (let hop = 1; hop <= max_hops && frontier.length > 0; hop += 1) {
    const reached = new Map<number, number>();
    const before = traversed;
    for (const id of frontier) {
      const outgoing = relations
        .filter((relation) => relation.from_id === id)
        .filter((relation) => Math.fround(relation.confidence) >= Math.fround(min_confidence))
        .filter(({ edge_type }) => edge_types.length === 0 || edge_types.includes(edge_type))
        .sort((a, b) => b.confidence - a.confidence || byText(a.edge_type, b.edge_type) || a.to_id - b.to_id)
        .slice(0, budget - traversed);
      for (const { to_id, edge_type, confidence } of outgoing) {
        traversed += 1;
        used.add(edge_type);
        const score = known.get(id)!.score * Math.fround(confidence) * 0.5;
        reached.set(to_id, Math.max(score, reached.get(to_id) ?? 0));
      }
    }
    if (traversed > before) hopsUsed = hop;
    for (const id of known.keys()) reached.delete(id);
    frontier = [...reached.keys()].sort((a, b) => reached.get(b)! - reached.get(a)! || a - b);
    for (const [id, score] of reached) known.set(id, { hop, score });
  }
  const artifacts = [...known].map(([artifact_id, { hop, score }]) => ({
    artifact_id,
    hop_distance: hop,
    score: Math.fround(score),
  }));
  return {
    artifacts: artifacts.sort(
      (a, b) => a.hop_distance - b.hop_distance || b.score - a.score || a.artifact_id - b.artifact_id,
    ),
    stats: {
      edges_traversed: traversed,
      edge_types_used: [...used].sort(byText),
      hops_used: hopsUsed,
      budget_remaining: budget - traversed,
    },
  };
}
