import { Injectable } from '@nestjs/common';
import type { Query } from '../../../common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { ExpandedArtifact, ExpandRequest, RelationRecord, StoreRelation } from './relations.dto.js';

export interface Expanded {
  artifacts: ExpandedArtifact[];
  edges_traversed: number;
  edge_types_used: string[];
  hops_used: number;
}

/** The last relation of a page: its type, and its other end. */
export type After = readonly [edgeType: string, id: number];

/**
 * Relations. What takes a tenant is a statement of its own, in one round trip, unless it is given an open unit of work;
 * the rest needs one.
 */
@Injectable()
export class RelationsStore {
  private readonly alone: Query = (sql, parameters = []) =>
    this.tenancy.write(sql, parameters, parameters[0] as string);

  constructor(private readonly tenancy: Tenancy) {}

  /** @param relation with who writes it, and the id of the event that reports it */
  async store(tenant: string, relation: StoreRelation & { actor: string; event: string }, unit = this.alone) {
    const { from_id, to_id, edge_type, confidence, created_at_micros, updated_at_micros, actor, event } = relation;
    const [row] = await unit<RelationRow>('select * from svc_store_relation($1, $2, $3, $4, $5, $6, $7, $8, $9)', [
      tenant,
      from_id,
      to_id,
      edge_type,
      Math.fround(confidence),
      created_at_micros,
      updated_at_micros,
      actor,
      event,
    ]);
    return recordOf(row!);
  }

  /** By type and target. */
  async listOutgoing(fromId: number, after: After | undefined, limit: number): Promise<RelationRecord[]> {
    const rows = await this.tenancy.query<RelationRow>(
      `select * from relation where from_id = $1 and (edge_type, to_id) > ($2, $3::bigint) order by edge_type, to_id limit $4`,
      [fromId, ...(after ?? FIRST), limit],
    );
    return rows.map(recordOf);
  }

  /** By type and source. */
  async listIncoming(toId: number, edgeType: string | undefined, { after, limit }: { after?: After; limit: number }) {
    const rows = await this.tenancy.query<RelationRow>(
      `select * from relation where to_id = $1 and (edge_type, from_id) > ($2, $3::bigint) ${edgeType === undefined ? '' : 'and edge_type = $5'}
       order by edge_type, from_id limit $4`,
      [toId, ...(after ?? FIRST), limit, ...(edgeType === undefined ? [] : [edgeType])],
    );
    return rows.map(recordOf);
  }

  /** @param decay what each hop multiplies the score with */
  async expand(tenant: string, request: ExpandRequest, decay: number): Promise<Expanded> {
    const { seed_artifact_ids, edge_types, max_hops, budget, min_confidence } = request;
    const types = edge_types.length === 0 ? null : [...new Set(edge_types)];
    const [row] = await this.tenancy.read<Expanded>('select * from svc_expand_relations($1, $2, $3, $4, $5, $6, $7)', [
      ...[tenant, seed_artifact_ids, types, max_hops, budget, Math.fround(min_confidence), decay],
    ]);
    return row!;
  }
}

const FIRST: After = ['', -1];

/** The driver gives what has 64 bits as text; these all fit a number. */
interface RelationRow extends Omit<RelationRecord, 'from_id' | 'to_id' | 'created_at_micros' | 'updated_at_micros'> {
  from_id: string;
  to_id: string;
  created_at_micros: string;
  updated_at_micros: string;
}

const recordOf = (row: RelationRow): RelationRecord => ({
  tenant_id: row.tenant_id,
  from_id: Number(row.from_id),
  to_id: Number(row.to_id),
  edge_type: row.edge_type,
  confidence: row.confidence,
  created_at_micros: Number(row.created_at_micros),
  updated_at_micros: Number(row.updated_at_micros),
});
