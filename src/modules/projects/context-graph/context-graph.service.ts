import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { invalid } from '../../../common/problem/common-problems.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { readerOf } from '../../memory/facts/facts.service.js';
import { ProjectsService } from '../projects/projects.service.js';
import { WorkspaceScansService } from '../workspace-scan/workspace-scans.service.js';
import type { ContextGraph, ContextGraphQuery } from './context-graph.dto.js';
import { NodeUnknown } from './context-graph.problems.js';
import { GraphPage, placeOfCursor, readNodeId } from './context-graph.rules.js';
import { ContextGraphStore } from './context-graph.store.js';
import type { Centre, GraphPlace, GraphScope, NodeWithEdges } from './context-graph.types.js';
import { sourcesOf, type GraphSource } from './graph-sources.js';

/** Nodes that are read at once: each has few edges, but for passports of many planes. */
const AT_ONCE = 250;

/**
 * Everything around a project as nodes and edges (D66). Nodes have one order; an edge is on the page of the later one
 * of its two nodes.
 */
@Injectable()
export class ContextGraphService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly projects: ProjectsService,
    private readonly scans: WorkspaceScansService,
    private readonly store: ContextGraphStore,
  ) {}

  /** @throws ProjectUnknown, NodeUnknown; ValidationFailed */
  read(caller: DaemonCaller, projectId: string, query: ContextGraphQuery): Promise<ContextGraph> {
    const place = placeOfCursor(query.cursor);
    return this.tenants.run(caller, undefined, async () => {
      const { tenantId } = await this.projects.find(projectId);
      const withFiles = query.include_workspace || query.include_symbols;
      const scan = withFiles ? await this.scans.findLast() : undefined;
      const { principal, seesAll } = readerOf(caller, tenantId);
      const scope = { projectId, principal, seesAll, scanId: scan?.scanId, withSymbols: query.include_symbols };
      const centre = query.around === undefined ? undefined : await this.findCentre(scope, query.around);
      const page = await this.fill(scope, place, centre);
      const next_cursor = page.nextCursor;
      return {
        ...{ project_id: projectId, scan_id: scan?.scanId ?? null },
        nodes: page.nodes.map(({ id, kind, label, ref }) => ({ id, kind, label, ref })),
        ...{ edges: page.edges, truncated: next_cursor !== null, next_cursor },
      };
    });
  }

  private async fill(scope: GraphScope, place: GraphPlace | undefined, centre: Centre | undefined): Promise<GraphPage> {
    const page = new GraphPage();
    const sources = sourcesOf(scope);
    const first = place ? sources.findIndex(({ kind }) => kind === place.kind) : 0;
    if (first < 0) throw invalid('query.cursor', 'is of a graph with other members; send it with the same parameters');
    if (place && place.edgesShown > 0) {
      const node = await this.store.find(sources[first]!, scope, place.key);
      if (node) page.continue(seenFrom(centre, node), place.edgesShown);
    }
    for (const [index, source] of sources.slice(first).entries()) {
      await this.fillFrom(page, source, scope, { after: index === 0 ? place?.key : undefined, centre });
      if (page.isFull) break;
    }
    return page;
  }

  private async fillFrom(
    page: GraphPage,
    source: GraphSource,
    scope: GraphScope,
    { after, centre }: { after: string | undefined; centre: Centre | undefined },
  ): Promise<void> {
    let last = after;
    while (!page.isFull) {
      const take = Math.min(AT_ONCE, page.nodesLeft);
      const nodes = await this.store.list(source, scope, { after: last, take, centre });
      for (const node of nodes) page.add(seenFrom(centre, node));
      if (nodes.length < take) return;
      last = nodes.at(-1)!.key;
    }
  }

  /** @throws NodeUnknown */
  private async findCentre(scope: GraphScope, around: string): Promise<Centre> {
    const named = readNodeId(around);
    if (!named) throw invalid('query.around', 'is no id of a node, such as plane:lighthouse/backend');
    const source = sourcesOf(scope).find(({ kind }) => kind === named.kind);
    const node = source && (await this.store.find(source, scope, named.key));
    if (!node)
      throw new NodeUnknown(
        { node_id: around },
        'The graph without around lists its nodes; files and symbols are there with include_workspace and include_symbols',
      );
    return { ...named, id: node.id, linked: new Set(node.edges.flatMap(({ from, to }) => [from, to])) };
  }
}

/** Of a neighbourhood only the edges of its centre are shown. */
function seenFrom(centre: Centre | undefined, node: NodeWithEdges): NodeWithEdges {
  if (!centre) return node;
  return { ...node, edges: node.edges.filter(({ from, to }) => from === centre.id || to === centre.id) };
}
