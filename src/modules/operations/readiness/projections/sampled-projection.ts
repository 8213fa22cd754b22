import type { Query } from '../../../../common/tenancy/cross-tenant.js';
import type { ProjectionCheck, ProjectionSample } from '../../../../common/health/projection-checks.js';

/** A derived table, as one statement over the next of its rows. */
export interface SampledTable {
  name: string;
  /**
   * Parameters: the tenant and the place (text array) after which to begin, and how many rows. Answers tenant_id,
   * place, id and same, in the order of the places; `id` reveals nothing about a tenant.
   */
  sql: string;
  /** Rows at a time. */
  rows: number;
}

interface Row {
  tenant_id: string;
  place: string[];
  id: string;
  same: boolean;
}

const START = { tenantId: '', place: ['', ''] };

/** Goes round a table, some rows at each probe; what it finds wrong it looks at again until it is right. */
export class SampledProjection implements ProjectionCheck {
  readonly name: string;
  private after = START;

  constructor(private readonly table: SampledTable) {
    this.name = table.name;
  }

  async sample(query: Query): Promise<ProjectionSample> {
    const { sql, rows: wanted } = this.table;
    const rows = await query<Row>(sql, [this.after.tenantId, this.after.place, wanted]);
    const wrong = rows.filter(({ same }) => !same).map(({ id }) => id);
    const last = rows.at(-1);
    if (wrong.length === 0)
      this.after = last && rows.length === wanted ? { tenantId: last.tenant_id, place: last.place } : START;
    return { examined: rows.length, wrong };
  }
}
