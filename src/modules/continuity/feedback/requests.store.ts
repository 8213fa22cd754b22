import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { Category, FeedbackRequest, RequestAction, RequestChange, RequestStatus } from './requests.types.js';

export interface RequestFilter {
  requestId?: string;
  status?: RequestStatus;
  category?: Category;
  agentId?: string;
  submittedBy?: string;
  /** A pattern of ILIKE. */
  pattern?: string;
}

export interface RequestPage {
  byVotes: boolean;
  /** Votes and id of the last row of the page before; votes do not count where the order is by age. */
  after?: [votes: number, requestId: string];
  limit: number;
}

export interface NewRequest {
  title: string;
  body: string;
  category: Category;
  agentId?: string;
}

export interface Change {
  action: 'submit' | RequestAction;
  from: RequestStatus | null;
  to: RequestStatus;
  principal: string;
  reason?: string;
  note?: string;
}

const HISTORY = `(select json_agg(json_build_object('action', c.action, 'from', c.from_status, 'to', c.to_status, 'principal', c.principal,
    'reason', c.reason, 'note', c.note, 'at', c.changed_at) order by c.seq)
  from feedback_request_change c where c.tenant_id = r.tenant_id and c.request_id = r.request_id) as history`;
const VOTED = `exists (select from feedback_vote v
  where v.tenant_id = r.tenant_id and v.request_id = r.request_id and v.principal = $2 and v.withdrawn_at is null) as voted`;

/** Requests, their votes and their history. A request's row is the lock under which both are written. */
@Injectable()
export class RequestsStore {
  constructor(private readonly tenancy: Tenancy) {}

  async submit(request: NewRequest, principal: string): Promise<string> {
    const requestId = uuid();
    await this.tenancy.query(
      `insert into feedback_request (tenant_id, request_id, title, body, category, agent_id, submitted_by) values ($1, $2, $3, $4, $5, $6, $7)`,
      [
        this.tenancy.tenant,
        requestId,
        request.title,
        request.body,
        request.category,
        request.agentId ?? null,
        principal,
      ],
    );
    await this.recordChange(requestId, { action: 'submit', from: null, to: 'open', principal });
    return requestId;
  }

  /** As the principal sees them. */
  async find(principal: string, filter: RequestFilter, page: RequestPage): Promise<FeedbackRequest[]> {
    const [key, place] = page.byVotes
      ? ['(r.votes, r.request_id)', '($9::float8, $10::uuid)']
      : ['r.request_id', '$10::uuid and $9::float8 is not null'];
    const rows = await this.tenancy.query<RequestRow>(
      `select r.*, ${VOTED}, ${HISTORY} from feedback_request r
       where r.tenant_id = $1 and ($3::uuid is null or r.request_id = $3) and ($4::text is null or r.status = $4)
         and ($5::text is null or r.category = $5) and ($6::text is null or r.agent_id = $6) and ($7::text is null or r.submitted_by = $7)
         and ($8::text is null or r.title ilike $8 or r.body ilike $8) and ($10::uuid is null or ${key} < ${place})
       order by ${page.byVotes ? 'r.votes desc, ' : ''}r.request_id desc limit $11`,
      [
        this.tenancy.tenant,
        principal,
        filter.requestId ?? null,
        filter.status ?? null,
        filter.category ?? null,
        filter.agentId ?? null,
        filter.submittedBy ?? null,
        filter.pattern ?? null,
        page.after?.[0] ?? null,
        page.after?.[1] ?? null,
        page.limit,
      ],
    );
    return rows.map(requestOf);
  }

  /** The status of a request, which stays until the unit of work ends; undefined where there is none. */
  async hold(requestId: string): Promise<RequestStatus | undefined> {
    const [row] = await this.tenancy.query<{ status: RequestStatus }>(
      'select status from feedback_request where tenant_id = $1 and request_id = $2 for update',
      [this.tenancy.tenant, requestId],
    );
    return row?.status;
  }

  /** Moves a request that is held. */
  async move(requestId: string, change: Change): Promise<void> {
    await this.tenancy.query(
      'update feedback_request set status = $3, updated_at = now() where tenant_id = $1 and request_id = $2',
      [this.tenancy.tenant, requestId, change.to],
    );
    await this.recordChange(requestId, change);
  }

  /**
   * Gives or takes a principal's vote on a request that is held; whether that changed anything, and the count after it.
   */
  async vote(requestId: string, principal: string, withdraw: boolean): Promise<{ changed: boolean; votes: number }> {
    const changed = await this.tenancy.query(
      withdraw
        ? `update feedback_vote set withdrawn_at = now()
           where tenant_id = $1 and request_id = $2 and principal = $3 and withdrawn_at is null returning 1`
        : `insert into feedback_vote (tenant_id, request_id, principal) values ($1, $2, $3)
           on conflict (tenant_id, request_id, principal) do update set voted_at = now(), withdrawn_at = null
           where feedback_vote.withdrawn_at is not null returning 1`,
      [this.tenancy.tenant, requestId, principal],
    );
    const step = changed.length * (withdraw ? -1 : 1);
    const [row] = await this.tenancy.query<{ votes: number }>(
      'update feedback_request set votes = votes + $3 where tenant_id = $1 and request_id = $2 returning votes',
      [this.tenancy.tenant, requestId, step],
    );
    return { changed: changed.length > 0, votes: row!.votes };
  }

  private async recordChange(requestId: string, change: Change): Promise<void> {
    await this.tenancy.query(
      `insert into feedback_request_change (tenant_id, request_id, seq, action, from_status, to_status, principal, reason, note)
       select $1, $2, count(*) + 1, $3, $4, $5, $6, $7, $8 from feedback_request_change where tenant_id = $1 and request_id = $2`,
      [
        this.tenancy.tenant,
        requestId,
        change.action,
        change.from,
        change.to,
        change.principal,
        change.reason ?? null,
        change.note ?? null,
      ],
    );
  }
}

interface RequestRow {
  request_id: string;
  title: string;
  body: string;
  category: Category;
  agent_id: string | null;
  status: RequestStatus;
  votes: number;
  voted: boolean;
  submitted_by: string;
  submitted_at: Date;
  updated_at: Date;
  history: RequestChange[];
}

const requestOf = (row: RequestRow): FeedbackRequest => ({
  requestId: row.request_id,
  title: row.title,
  body: row.body,
  category: row.category,
  agentId: row.agent_id,
  status: row.status,
  votes: row.votes,
  voted: row.voted,
  submittedBy: row.submitted_by,
  submittedAt: row.submitted_at,
  updatedAt: row.updated_at,
  history: row.history.map((change) => ({ ...change, at: new Date(change.at).toISOString() })),
});
