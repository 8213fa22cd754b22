import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { DISCOVERY_TENANT } from '../../../common/tenancy/discovery-tenant.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { TenantRepository, type Values } from '../../../common/tenancy/tenant-repository.js';
import { AgentRow } from './agent.entity.js';
import type { SponsoredState, SponsorTier } from './agents.types.js';

export interface StandingRow {
  sponsor_tenant_id: string | null;
  sponsored_at: Date | null;
  /** bigint */
  credits: string;
  queries_today: number;
}

export interface ClaimRow {
  /** Whether this very call made the sponsorship. */
  claimed: boolean;
  sponsor_tenant_id: string | null;
  sponsor_tier: SponsorTier | null;
  sponsored_at: Date | null;
  is_over: boolean;
}

export interface SponsoredFilter {
  status?: SponsoredState;
  /** One of these. */
  sponsorTiers?: SponsorTier[];
  framework?: string;
}

/** Of the last row of the page before: sponsoredUs, agentId. */
export type SponsoredPosition = [number, string];

/** Agents: written in the discovery tenant, read by their sponsors. */
@Injectable()
export class AgentsStore {
  private readonly agents: TenantRepository<AgentRow>;
  /** Of the open unit of work's tenant, now or before. */
  private readonly sponsored: TenantRepository<AgentRow>;

  constructor(private readonly tenancy: Tenancy) {
    this.agents = new TenantRepository(tenancy, AgentRow);
    this.sponsored = new TenantRepository(tenancy, AgentRow, 'sponsorTenantId');
  }

  /** The tenant that agents live in, where it is not there yet. In its unit of work. */
  async openDiscoveryTenant(): Promise<void> {
    await this.tenancy.query(`insert into tenant (tenant_id, tier) values ($1, 'free') on conflict do nothing`, [
      DISCOVERY_TENANT,
    ]);
  }

  /** In the discovery tenant's unit of work. */
  record(agent: Values<AgentRow>): Promise<AgentRow> {
    return this.agents.insert(agent);
  }

  /** In one round trip, whatever unit of work is open. @param tokenHash asks also that this is the agent's bearer */
  async findStanding(agentId: string, tokenHash?: Buffer): Promise<StandingRow | undefined> {
    const [row] = await this.tenancy.call<StandingRow>('select * from svc_agent_standing($1, $2)', [
      agentId,
      tokenHash ?? null,
    ]);
    return row;
  }

  /** The same inside the open unit of work of the discovery tenant: with what it has done itself. */
  async findStandingWithin(agentId: string): Promise<StandingRow | undefined> {
    const [row] = await this.tenancy.query<StandingRow>('select * from svc_agent_standing($1, null)', [agentId]);
    return row;
  }

  /**
   * Counts one query of the UTC day unless `limit` were made. In the discovery tenant's unit of work.
   * @returns how many there are now
   */
  async countQuery(agentId: string, limit: number): Promise<number | undefined> {
    const [row] = await this.tenancy.query<{ day_queries: number }>(
      `update agent set query_day = today.day, day_queries = case when query_day = today.day then day_queries else 0 end + 1
       from (select (now() at time zone 'utc')::date as day) today
       where tenant_id = $1 and agent_id = $2 and (query_day <> today.day or day_queries < $3) returning day_queries`,
      [DISCOVERY_TENANT, agentId, limit],
    );
    return row?.day_queries;
  }

  /**
   * Makes the open unit of work's tenant the sponsor, if no other is.
   * @returns what then holds, or undefined where there is no such agent
   */
  async claim(agentId: string, tier: SponsorTier, principal: string): Promise<ClaimRow | undefined> {
    const [row] = await this.tenancy.query<ClaimRow>('select * from svc_sponsor_agent($1, $2, $3, $4)', [
      agentId,
      this.tenancy.tenant,
      tier,
      principal,
    ]);
    return row;
  }

  /** @returns whether this call ended an agent of the open unit of work's tenant */
  async release(agentId: string, principal: string, reason: string | undefined): Promise<boolean> {
    const [row] = await this.tenancy.query<{ ended: boolean }>('select svc_release_agent($1, $2, $3, $4) as ended', [
      agentId,
      this.tenancy.tenant,
      principal,
      reason ?? null,
    ]);
    return row?.ended === true;
  }

  findSponsored(agentId: string): Promise<AgentRow | undefined> {
    return this.sponsored.find({ agentId });
  }

  listSponsored(
    { sponsorTiers, ...filter }: SponsoredFilter,
    after: SponsoredPosition | undefined,
    limit: number,
  ): Promise<AgentRow[]> {
    const filters = { ...filter, sponsorTier: sponsorTiers && In(sponsorTiers) };
    return this.sponsored.list(filters, { order: { sponsoredAt: 'asc', agentId: 'asc' }, after, take: limit });
  }
}
