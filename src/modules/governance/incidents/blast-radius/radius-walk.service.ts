import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { RadiusTooLarge } from './blast-radius.problems.js';
import { KEY_PARTS, type NodeKind, type Walk, type WalkedNode } from './blast-radius.types.js';
import { RADIUS_EDGES, type RadiusEdge } from './radius-edges.js';

/** Nodes whose edges one statement follows. */
const MAX_SLICE = 1_000;
/** What one walk holds in memory. */
const MAX_NODES = 50_000;
const MAX_EDGES = 250_000;

/** Follows the edges from one thing to everything that rests on it, level by level. In the open unit of work. */
@Injectable()
export class RadiusWalkService {
  constructor(private readonly tenancy: Tenancy) {}

  /**
   * @param roots of one kind, by their keys
   * @throws RadiusTooLarge
   */
  async walk(kind: NodeKind, roots: readonly string[][]): Promise<Walk> {
    const walk = new Walking();
    for (const key of roots) walk.reach({ kind, key, depth: 0, viaEdge: null, viaPosition: null });
    for (let depth = 0, first = 0; first < walk.nodes.length; depth++) {
      const end = walk.nodes.length;
      const level = Map.groupBy(
        Array.from({ length: end - first }, (_, i) => first + i),
        (place) => walk.nodes[place]!.kind,
      );
      for (const edge of RADIUS_EDGES) {
        if (edge.fromRootOnly && depth > 0) continue;
        const places = level.get(edge.from) ?? [];
        for (let at = 0; at < places.length; at += MAX_SLICE)
          await this.follow(walk, edge, places.slice(at, at + MAX_SLICE), depth);
      }
      first = end;
    }
    return walk;
  }

  private async follow(walk: Walking, { edge, from, to, join, key }: RadiusEdge, places: number[], depth: number) {
    const parts = Array.from({ length: KEY_PARTS[from] }, (_, i) => i);
    const columns = parts.map((i) => places.map((place) => walk.nodes[place]!.key[i]!));
    const rows = await this.tenancy.query<{ place: number; key: string[] }>(
      `select distinct f.place::int as place, array[${key}] as key
       from unnest(${parts.map((i) => `$${i + 2}::text[]`).join(', ')}) with ordinality f(${parts.map((i) => `k${i + 1}`).join(', ')}, place)
       join ${join}
       where (${key}) is not null order by 1, 2`,
      [this.tenancy.tenant, ...columns],
    );
    for (const row of rows) {
      const before = places[row.place - 1]!;
      const node = { kind: to, key: row.key, depth: depth + 1, viaEdge: edge, viaPosition: before };
      walk.edges.push({ from: before, edge, to: walk.reach(node) });
    }
    if (walk.nodes.length > MAX_NODES || walk.edges.length > MAX_EDGES)
      throw new RadiusTooLarge(
        { nodes: walk.nodes.length, edges: walk.edges.length },
        `A walk holds ${MAX_NODES} things and ${MAX_EDGES} edges; begin at something that less rests on, such as one passage`,
      );
  }
}

class Walking implements Walk {
  readonly nodes: WalkedNode[] = [];
  readonly edges: Walk['edges'] = [];
  private readonly places = new Map<string, number>();

  /** Kept where it was reached first. @returns its place */
  reach(node: WalkedNode): number {
    const name = JSON.stringify([node.kind, ...node.key]);
    const known = this.places.get(name);
    if (known !== undefined) return known;
    this.places.set(name, this.nodes.length);
    return this.nodes.push(node) - 1;
  }
}
