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

/** A retrieval and the ids of its receipts; the second is that of an audit. */
export interface ReceiptedRetrieval {
  retrieval: RecordedRetrieval;
  receiptId: string;
  executionReceiptId?: string | undefined;
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
    // In one order everywhere, so that two writers never wait for each other.
    const key = ({ tenantId, agentId }: TenantRetrieval) => JSON.stringify([tenantId, agentId]);
    const sorted = [...retrievals].sort((a, b) => (key(a) < key(b) ? -1 : 1));
    await query(
      `insert into agent_retrieval (tenant_id, agent_id, retrieval_id, lane, request, results, created_at)
       select r."tenantId", r."agentId", r."retrievalId", r.lane, r.request, r.results, r."createdAt"
       from jsonb_to_recordset($1::jsonb) r("tenantId" text, "agentId" text, "retrievalId" uuid, lane text, request jsonb, results jsonb, "createdAt" timestamptz)
       on conflict (tenant_id, agent_id) do update set retrieval_id = excluded.retrieval_id, lane = excluded.lane,
         request = excluded.request, results = excluded.results, created_at = excluded.created_at
       where agent_retrieval.created_at <= excluded.created_at`,
      [JSON.stringify(sorted)],
    );
  }

  /** Stores retrievals with their receipts, each as the last of its agent. */
  async recordAll(records: readonly ReceiptedRetrieval[]): Promise<void> {
    const tenantId = this.tenancy.tenant;
    const rows = records.map(({ retrieval, receiptId, executionReceiptId }) => ({
      ...retrieval,
      receiptId,
      executionReceiptId,
    }));
    await this.tenancy.query(
      `insert into retrieval (tenant_id, retrieval_id, agent_id, lane, request, results, receipt_id, execution_receipt_id, created_at)
       select $1, r."retrievalId", r."agentId", r.lane, r.request, r.results, r."receiptId", r."executionReceiptId", r."createdAt"
       from jsonb_to_recordset($2::jsonb) r("retrievalId" uuid, "agentId" text, lane text, request jsonb, results jsonb, "receiptId" text, "executionReceiptId" uuid, "createdAt" timestamptz)`,
      [tenantId, JSON.stringify(rows)],
    );
    // Of an agent's own, the last one.
    const last = new Map(rows.map((row) => [row.agentId, { ...row, tenantId }]));
    await this.rememberAll((sql, parameters) => this.tenancy.query(sql, parameters), [...last.values()]);
  }

  async findLast(agentId: string): Promise<RecordedRetrieval | undefined> {
    const rows = await this.tenancy.query<Row>(
      `select ${MEMBERS} from agent_retrieval where tenant_id = $1 and agent_id = $2`,
      [this.tenancy.tenant, agentId],
    );
    return rows[0] && recordOf(rows[0]);
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
