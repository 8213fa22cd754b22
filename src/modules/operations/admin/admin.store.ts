import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';

export interface Compaction {
  readonly deleted: number;
  readonly retired: number;
  readonly held: number;
  readonly more: boolean;
}

/** What the operator's routes read and change, inside the unit of work of the tenant. */
@Injectable()
export class AdminStore {
  constructor(private readonly tenancy: Tenancy) {}

  async readDatabase(): Promise<{ postgresql: string; applied: number }> {
    const [row] = await this.tenancy.call<{ postgresql: string; applied: number }>(
      `select current_setting('server_version') as postgresql, (select count(*)::int from migration) as applied`,
    );
    return row!;
  }

  /** Records of facts that no segment holds. */
  async countOpenFacts(): Promise<number> {
    const [row] = await this.tenancy.query<{ open: number }>(
      `select count(*)::int as open from fact f
       where f.tenant_id = $1 and f.seq > coalesce((select i.sealed_seq from fact_index i where i.tenant_id = $1), 0)`,
      [this.tenancy.tenant],
    );
    return row!.open;
  }

  async compact(compactionId: string, keepDays: number | undefined, limit: number): Promise<Compaction> {
    const [row] = await this.tenancy.query<Compaction>('select * from svc_compact_facts($1, $2, $3, $4)', [
      this.tenancy.tenant,
      compactionId,
      keepDays ?? null,
      limit,
    ]);
    return row!;
  }
}
