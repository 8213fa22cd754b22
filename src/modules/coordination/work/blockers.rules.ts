interface Edge {
  work_id: string;
  blocker_id: string;
}

/** A shortest way by which one item waits for another; empty where these edges show none. */
export function findPath(edges: readonly Edge[], from: string, to: string): string[] {
  const blockers = Map.groupBy(edges, ({ work_id }) => work_id);
  const cameFrom = new Map<string, string | undefined>([[from, undefined]]);
  for (const [item] of cameFrom) {
    if (item === to) return trace(cameFrom, to);
    for (const { blocker_id } of blockers.get(item) ?? [])
      if (!cameFrom.has(blocker_id)) cameFrom.set(blocker_id, item);
  }
  return [];
}

function trace(cameFrom: ReadonlyMap<string, string | undefined>, to: string): string[] {
  const path = [to];
  for (let item = cameFrom.get(to); item !== undefined; item = cameFrom.get(item)) path.unshift(item);
  return path;
}
