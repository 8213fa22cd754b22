import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { KIND_USES, type Kind, type KindUse, type Part } from './graph.types.js';

/** What is known of the kinds of the open unit of work's tenant. */
@Injectable()
export class KindsStore {
  constructor(private readonly tenancy: Tenancy) {}

  async find(kind: string): Promise<Kind | undefined> {
    const [row] = await this.tenancy.query<KindRow>(`select ${MEMBERS} from graph_kind where kind = $1 group by kind`, [
      kind,
    ]);
    return row && kindOf(row);
  }

  /** By name. */
  async list({ after, limit }: Part<string>): Promise<Kind[]> {
    const rows = await this.tenancy.query<KindRow>(
      `select ${MEMBERS} from graph_kind where kind > $1 group by kind order by kind limit $2`,
      [after ?? '', limit],
    );
    return rows.map(kindOf);
  }
}

const MEMBERS = `kind, array_agg(distinct used_by) as used_by, min(first_seen_at) as first_seen_at,
  coalesce(sum(live) filter (where used_by = 'entity'), 0)::float8 as entity_count,
  coalesce(sum(live) filter (where used_by = 'edge'), 0)::float8 as edge_count`;

interface KindRow {
  kind: string;
  used_by: KindUse[];
  first_seen_at: Date;
  entity_count: number;
  edge_count: number;
}

const kindOf = (row: KindRow): Kind => ({
  kind: row.kind,
  usedBy: KIND_USES.filter((use) => row.used_by.includes(use)),
  firstSeenAt: row.first_seen_at,
  entityCount: row.entity_count,
  edgeCount: row.edge_count,
});
