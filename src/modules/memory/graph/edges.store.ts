import { Injectable } from '@nestjs/common';
import type { Query } from '../../../common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { Direction, Edge, EdgeIdentity, GraphNode, Part } from './graph.types.js';

/** The members of the identity, in the order of the primary key: lists come in it. */
const IDENTITY = ['from_kind', 'from_id', 'edge_kind', 'to_kind', 'to_id'] as const;
export type EdgeKey = [string, string, string, string, string];
export const keyOf = (edge: EdgeIdentity): EdgeKey => [
  edge.from_kind,
  edge.from_id,
  edge.edge_kind,
  edge.to_kind,
  edge.to_id,
];

/**
 * Edges. What takes a tenant is a statement of its own, in one round trip, unless it is given an open unit of work; the
 * rest needs one.
 */
@Injectable()
export class EdgesStore {
  private readonly alone: Query = (sql, parameters = []) =>
    this.tenancy.write(sql, parameters, parameters[0] as string);

  constructor(private readonly tenancy: Tenancy) {}

  async store(tenant: string, edge: EdgeIdentity & Written & { payload: unknown }, unit = this.alone) {
    const [row] = await unit<EdgeRow>('select * from svc_store_edge($1, $2, $3, $4, $5, $6, $7::json, $8, $9)', [
      ...[tenant, ...keyOf(edge), JSON.stringify(edge.payload), edge.actor, edge.event],
    ]);
    return edgeOf(row!);
  }

  async retire(tenant: string, edge: EdgeIdentity & Written, unit = this.alone): Promise<Edge | undefined> {
    const [row] = await unit<EdgeRow>('select * from svc_delete_edge($1, $2, $3, $4, $5, $6, $7, $8)', [
      ...[tenant, ...keyOf(edge), edge.actor, edge.event],
    ]);
    return row && edgeOf(row);
  }

  /** In the order of the identity. Every member has an index that comes in that order once the member is given. */
  async list(filter: Partial<EdgeIdentity> & { includeDeleted: boolean }, { after, limit }: Part<EdgeKey>) {
    const values: unknown[] = [];
    const bind = (value: unknown) => `$${values.push(value)}`;
    const conditions = [
      ...IDENTITY.filter((member) => filter[member] !== undefined).map(
        (member) => `${member} = ${bind(filter[member])}`,
      ),
      ...(filter.includeDeleted ? [] : ['not is_deleted']),
      ...(after ? [`(${IDENTITY.join(', ')}) > (${after.map(bind).join(', ')})`] : []),
    ];
    const rows = await this.tenancy.query<EdgeRow>(
      `select * from graph_edge where ${['true', ...conditions].join(' and ')} order by ${IDENTITY.join(', ')} limit ${bind(limit)}`,
      values,
    );
    return rows.map(edgeOf);
  }

  /** Edges of these nodes, those of the first node first, and of each node those that go out first. */
  async findAround(nodes: readonly GraphNode[], { kinds, direction, limit }: Around): Promise<Edge[]> {
    const sides = direction === 'both' ? (['out', 'in'] as const) : [direction];
    const parts = sides.map((side, place) => `(${edgesOf(side, place, kinds !== undefined)})`);
    const rows = await this.tenancy.query<EdgeRow>(
      `select e.* from rows from (unnest($2::text[], $3::text[])) with ordinality n (kind, id, place)
       cross join lateral (${parts.join(' union all ')}) e
       order by n.place, e.side, ${IDENTITY.map((member) => `e.${member}`).join(', ')} limit $4`,
      [
        ...[this.tenancy.tenant, nodes.map(({ kind }) => kind), nodes.map(({ id }) => id), limit],
        ...(kinds === undefined ? [] : [kinds]),
      ],
    );
    return rows.map(edgeOf);
  }
}

/** Which edges of a node are wanted. */
interface Around {
  kinds: readonly string[] | undefined;
  direction: Direction;
  limit: number;
}

/** In the order of an index, as many as are wanted at most. */
const edgesOf = (side: 'out' | 'in', place: number, isOfKinds: boolean): string => {
  const end = side === 'out' ? 'from' : 'to';
  return `select g.*, ${place} as side from graph_edge g
    where g.tenant_id = $1 and g.${end}_id = n.id and g.${end}_kind = n.kind and not g.is_deleted${isOfKinds ? ' and g.edge_kind = any($5::text[])' : ''}
    order by ${IDENTITY.map((member) => `g.${member}`).join(', ')} limit $4`;
};

/** Who writes, and the id of the event that reports it. */
interface Written {
  actor: string;
  event: string;
}

interface EdgeRow extends EdgeIdentity {
  payload: unknown;
  version: number;
  is_deleted: boolean;
  created_at: Date;
  updated_at: Date;
  updated_by: string;
}

const edgeOf = (row: EdgeRow): Edge => ({
  from_kind: row.from_kind,
  from_id: row.from_id,
  edge_kind: row.edge_kind,
  to_kind: row.to_kind,
  to_id: row.to_id,
  payload: row.payload,
  version: row.version,
  isDeleted: row.is_deleted,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  updatedBy: row.updated_by,
});
