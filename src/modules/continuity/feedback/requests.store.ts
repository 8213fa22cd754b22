import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import { uuid } from '../../../common/ids/uuid.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository, type ListOptions } from '../../../common/tenancy/tenant-repository.js';
import { FeedbackRequestChangeRow } from './feedback-request-change.entity.js';
import { FeedbackRequestRow } from './feedback-request.entity.js';
import { FeedbackVoteRow } from './feedback-vote.entity.js';
import type { Category, RequestStatus } from './requests.types.js';

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

export interface Change extends Pick<FeedbackRequestChangeRow, 'action' | 'fromStatus' | 'toStatus' | 'principal'> {
  reason?: string;
  note?: string;
}

/** Requests, their votes and their history. */
@Injectable()
export class RequestsStore {
  private readonly requests: TenantRepository<FeedbackRequestRow>;
  private readonly changes: TenantRepository<FeedbackRequestChangeRow>;
  private readonly votes: TenantRepository<FeedbackVoteRow>;

  constructor(tenancy: Tenancy) {
    this.requests = new TenantRepository(tenancy, FeedbackRequestRow);
    this.changes = new TenantRepository(tenancy, FeedbackRequestChangeRow);
    this.votes = new TenantRepository(tenancy, FeedbackVoteRow);
  }

  async submit(request: NewRequest, principal: string): Promise<string> {
    const { requestId } = await this.requests.insert({ requestId: uuid(), ...request, submittedBy: principal });
    await this.changes.insert({ requestId, seq: 1, action: 'submit', toStatus: 'open', principal });
    return requestId;
  }

  /** As the principal sees them. */
  list(
    principal: string,
    filter: RequestFilter,
    { byVotes, after, limit }: RequestPage,
  ): Promise<FeedbackRequestRow[]> {
    const { pattern, ...same } = filter;
    const page = byVotes
      ? { order: { votes: 'desc', requestId: 'desc' } as const, after }
      : { order: { requestId: 'desc' } as const, after: after?.slice(1) };
    const query = this.seenBy(principal, same, { ...page, take: limit });
    if (pattern !== undefined) query.andWhere('(row.title ilike :pattern or row.body ilike :pattern)', { pattern });
    return query.getMany();
  }

  /** As the principal sees it. */
  read(principal: string, requestId: string): Promise<FeedbackRequestRow> {
    return this.seenBy(principal, { requestId }).getOneOrFail();
  }

  /** The status of a request, which stays until the unit of work ends; undefined where there is none. */
  async hold(requestId: string): Promise<RequestStatus | undefined> {
    return (await this.requests.find({ requestId }, 'update'))?.status;
  }

  /** Adds to the history of a request that is held, and moves it where its status changes. */
  async change(requestId: string, change: Change): Promise<void> {
    if (change.toStatus !== change.fromStatus)
      await this.requests.updateOne({ requestId }, { status: change.toStatus, updatedAt: () => 'now()' });
    await this.changes.insert({ requestId, seq: (await this.changes.count({ requestId })) + 1, ...change });
  }

  /**
   * Gives or takes a principal's vote on a request that is held; whether that changed anything, and the count after it.
   */
  async vote(requestId: string, principal: string, withdraw: boolean): Promise<{ changed: boolean; votes: number }> {
    const vote = { requestId, principal };
    const changed = await (withdraw ? this.withdrawVote(vote) : this.giveVote(vote));
    const step = changed ? (withdraw ? -1 : 1) : 0;
    const { votes } = await this.requests.updateOne({ requestId }, { votes: () => `votes + ${step}` });
    return { changed, votes };
  }

  private async giveVote(vote: Vote): Promise<boolean> {
    if (await this.votes.insertNew(vote)) return true;
    const again = { votedAt: () => 'now()', withdrawnAt: null };
    return (await this.votes.update({ ...vote, withdrawnAt: Not(IsNull()) }, again)).length > 0;
  }

  private async withdrawVote(vote: Vote): Promise<boolean> {
    return (await this.votes.update({ ...vote, withdrawnAt: IsNull() }, { withdrawnAt: () => 'now()' })).length > 0;
  }

  private seenBy(principal: string, filter: RequestFilter, options?: ListOptions<FeedbackRequestRow>) {
    const query = this.requests.select('row', filter, options);
    return query.addSelect(['row.voted', 'row.history']).setParameters({ principal });
  }
}

type Vote = Pick<FeedbackVoteRow, 'requestId' | 'principal'>;
