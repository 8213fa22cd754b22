import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../../common/bearer-auth/daemon-caller.js';
import { decodeCursor, takePage } from '../../../../common/fields/cursor.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';
import { TenantRepository } from '../../../../common/tenancy/tenant-repository.js';
import { TenantResolver } from '../../../../guards/tenant-resolver.js';
import { IncidentsService } from '../incidents.service.js';
import type {
  BlastRadiusReply,
  NodeName,
  RadiusEdges,
  RadiusNode,
  RadiusNodesQuery,
  RadiusQuery,
} from './blast-radius.dto.js';
import { BlastRadiusRow } from './blast-radius.entity.js';
import { RadiusUnknown } from './blast-radius.problems.js';
import { nameOf, radiusOf, rootOf, stateRootsOf } from './blast-radius.views.js';
import { RadiusEdgeRow } from './radius-edge.entity.js';
import { RadiusNodeRow } from './radius-node.entity.js';
import { RadiusStore } from './radius.store.js';

/** Nodes that the answer to a walk shows. */
const FIRST_PAGE = 50;

/** Walks as they were kept: their nodes and edges, page by page. */
@Injectable()
export class RadiusReadsService {
  private readonly rows: TenantRepository<BlastRadiusRow>;
  private readonly nodes: TenantRepository<RadiusNodeRow>;
  private readonly edges: TenantRepository<RadiusEdgeRow>;

  constructor(
    private readonly tenants: TenantResolver,
    private readonly incidents: IncidentsService,
    private readonly store: RadiusStore,
    tenancy: Tenancy,
  ) {
    this.rows = new TenantRepository(tenancy, BlastRadiusRow);
    this.nodes = new TenantRepository(tenancy, RadiusNodeRow);
    this.edges = new TenantRepository(tenancy, RadiusEdgeRow);
  }

  /** @throws IncidentUnknown, RadiusUnknown */
  read(caller: DaemonCaller, incidentId: string, query: RadiusNodesQuery): Promise<BlastRadiusReply> {
    const after = decodeCursor(query.cursor, ['integer']);
    return this.tenants.run(caller, undefined, async () => {
      await this.incidents.find(incidentId);
      return this.show(await this.find(incidentId, query.radius_id), { ...query, after });
    });
  }

  /** @throws IncidentUnknown, RadiusUnknown */
  readEdges(caller: DaemonCaller, incidentId: string, query: RadiusQuery): Promise<RadiusEdges> {
    const after = decodeCursor(query.cursor, ['integer']);
    const { limit, radius_id: wanted } = query;
    return this.tenants.run(caller, undefined, async () => {
      await this.incidents.find(incidentId);
      const row = await this.find(incidentId, wanted);
      const { radiusId } = row;
      const rows = await this.edges.list({ radiusId }, { order: { position: 'asc' }, after, take: limit + 1 });
      const { page, next_cursor } = takePage(rows, limit, ({ position }) => [position]);
      const names = await this.namesOf(
        radiusId,
        page.flatMap(({ fromPosition, toPosition }) => [fromPosition, toPosition]),
      );
      const edges = page.map(({ fromPosition, edge, toPosition }) => ({
        ...{ from: names.get(fromPosition)!, edge, to: names.get(toPosition)! },
      }));
      return { radius_id: radiusId, root: rootOf(row), edges, count: edges.length, next_cursor };
    });
  }

  /**
   * In the open unit of work: the one that is named, else the newest; where `isAside`, of those that have something
   * aside.
   * @throws RadiusUnknown
   */
  async find(incidentId: string, radiusId: string | undefined, isAside = false): Promise<BlastRadiusRow> {
    const query = this.rows.select('row', { incidentId, radiusId }, { order: { radiusId: 'desc' }, take: 1 });
    if (isAside && radiusId === undefined) query.andWhere('row.appliedAt is not null and row.undoneAt is null');
    const row = await query.getOne();
    if (row) return row;
    const remedy = 'POST .../blast-radius walks, GET .../blast-radius shows the newest walk of the incident';
    throw new RadiusUnknown({ radius_id: radiusId ?? null }, remedy);
  }

  /** In the open unit of work. */
  async show(row: BlastRadiusRow, { kind, after, limit = FIRST_PAGE }: ShownPart = {}): Promise<BlastRadiusReply> {
    const { radiusId } = row;
    const rows = await this.nodes.list({ radiusId, kind }, { order: { position: 'asc' }, after, take: limit + 1 });
    const { page, next_cursor } = takePage(rows, limit, ({ position }) => [position]);
    const names = await this.namesOf(
      radiusId,
      page.flatMap(({ viaPosition }) => viaPosition ?? []),
    );
    const nodes = page.map((node) => nodeOf(node, names));
    const state_root = stateRootsOf(row, await this.store.readStateRoot());
    return { radius: radiusOf(row), state_root, nodes, count: nodes.length, next_cursor };
  }

  private async namesOf(radiusId: string, positions: readonly number[]): Promise<Map<number, NodeName>> {
    if (positions.length === 0) return new Map();
    const query = this.nodes.select('node', { radiusId });
    const rows = await query
      .andWhere('node.position in (:...positions)', { positions: [...new Set(positions)] })
      .getMany();
    return new Map(rows.map((row) => [row.position, nameOf(row)]));
  }
}

interface ShownPart {
  kind?: RadiusNodesQuery['kind'];
  after?: [number] | undefined;
  limit?: number;
}

const nodeOf = (row: RadiusNodeRow, names: ReadonlyMap<number, NodeName>): RadiusNode => ({
  ...nameOf(row),
  depth: row.depth,
  via: row.viaPosition === null ? null : { ...names.get(row.viaPosition)!, edge: row.viaEdge! },
  set_aside: row.setAside,
});
