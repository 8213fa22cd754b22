import { Injectable } from '@nestjs/common';
import type { Query } from '../../../common/tenancy/cross-tenant.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { RecordedRetrieval } from './retrieval.types.js';

interface Row {
  retrieval_id: string;
  agent_id: string;
  lane: RecordedRetrieval['lane'];
  request: RecordedRetrieval['request'];
  results: RecordedRetrieval['results'];
  created_at: Date;
}

/** A retrieval and the tenant whose agent made it. */
export interface TenantRetrieval extends RecordedRetrieval {
  tenantId: string;
}

const MEMBERS = 'retrieval_id, agent_id, lane, request, results, created_at';

/** What retrievals leave behind, inside the unit of work of the tenant that asked. */
@Injectable()
export class RecordsStore {
  constructor(private readonly tenancy: Tenancy) {}

  /**
   * Stores the last retrieval of each agent, of any tenant the query may write for; an older one never replaces a
   * newer.
   */
  async rememberAll(query: Query, retrievals: readonly TenantRetrieval[]): Promise<void> {
    await query('select svc_remember_retrievals($1)', [JSON.stringify(retrievals)]);
  }

  async findLast(agentId: string): Promise<RecordedRetrieval | undefined> {
    const rows = await this.tenancy.query<Row>(
      `select ${MEMBERS} from agent_retrieval where tenant_id = $1 and agent_id = $2`,
      [this.tenancy.tenant, agentId],
    );
    return rows[0] && recordOf(rows[0]);
  }

  /** A query of an agent of each of the tenants with the most passages, of those that the query may read. */
  findOfLargest(query: Query, tenants: number): Promise<Pick<TenantRetrieval, 'tenantId' | 'request'>[]> {
    return query(
      `select largest.tenant_id as "tenantId", asked.request
       from (select tenant_id, sum(chunk_count) as chunks from index_segment group by tenant_id
         order by chunks desc limit $1) largest
       cross join lateral (select request from agent_retrieval r where r.tenant_id = largest.tenant_id limit 1) asked
       order by largest.chunks desc`,
      [tenants],
    );
  }

  async find(retrievalId: string): Promise<RecordedRetrieval | undefined> {
    const rows = await this.tenancy.query<Row>(
      `select ${MEMBERS} from retrieval where tenant_id = $1 and retrieval_id = $2`,
      [this.tenancy.tenant, retrievalId],
    );
    return rows[0] && recordOf(rows[0]);
  }
}

function recordOf(row: Row): RecordedRetrieval {
  return {
    retrievalId: row.retrieval_id,
    agentId: row.agent_id,
    lane: row.lane,
    request: row.request,
    results: row.results,
    createdAt: row.created_at,
  };
}
