import { Injectable } from '@nestjs/common';
import { DISCOVERY_TENANT } from '../../../common/tenancy/discovery-tenant.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { SponsoredState, SponsorTier } from './agents.types.js';

/** What a registration keeps of an agent. */
export interface NewAgent {
  agentId: string;
  tokenHash: Buffer;
  framework: string;
  displayName?: string;
  callbackUrl?: string;
  fingerprint?: string;
  days: number;
}

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

export interface SponsoredRow {
  agent_id: string;
  status: SponsoredState;
  sponsor_tier: SponsorTier;
  framework: string;
  display_name: string | null;
  callback_url: string | null;
  fingerprint: string | null;
  registered_at: Date;
  sponsored_at: Date;
  sponsored_by: string;
  expires_at: Date;
  ended_at: Date | null;
  ended_by: string | null;
  end_reason: string | null;
  /** Microseconds since 1970: what a timestamp's order is by. */
  sponsored_us: number;
}

export interface SponsoredFilter {
  agentId?: string;
  status?: SponsoredState;
  tier?: SponsorTier;
  framework?: string;
}

/** Last row of the page before: sponsored_us, agent_id. */
export type SponsoredPosition = [number, string];

const STATUS = `case when ended_at is not null then 'released' when expires_at <= now() then 'expired' else 'active' end`;

/** Agents: written in the discovery tenant, read by their sponsors. */
@Injectable()
export class AgentsStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** The tenant that agents live in, where it is not there yet. In its unit of work. */
  async openDiscoveryTenant(): Promise<void> {
    await this.tenancy.query(`insert into tenant (tenant_id, tier) values ($1, 'free') on conflict do nothing`, [
      DISCOVERY_TENANT,
    ]);
  }

  async record(agent: NewAgent): Promise<Date> {
    const [row] = await this.tenancy.query<{ expires_at: Date }>(
      `insert into agent (tenant_id, agent_id, token_hash, framework, display_name, callback_url, fingerprint, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, now() + $8 * interval '1 day') returning expires_at`,
      [
        DISCOVERY_TENANT,
        agent.agentId,
        agent.tokenHash,
        agent.framework,
        agent.displayName ?? null,
        agent.callbackUrl ?? null,
        agent.fingerprint ?? null,
        agent.days,
      ],
    );
    if (!row) throw new Error('an agent was not recorded');
    return row.expires_at;
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

  /** Agents that the open unit of work's tenant sponsors or did. */
  listSponsored(filter: SponsoredFilter, after: SponsoredPosition | undefined, limit: number): Promise<SponsoredRow[]> {
    return this.tenancy.query<SponsoredRow>(
      `select agent_id, ${STATUS} as status, sponsor_tier, framework, display_name, callback_url, fingerprint, registered_at, sponsored_at,
         sponsored_by, expires_at, ended_at, ended_by, end_reason, (extract(epoch from sponsored_at) * 1000000)::float8 as sponsored_us
       from agent where sponsor_tenant_id = $1
         and ($2::uuid is null or agent_id = $2) and ($3::text is null or ${STATUS} = $3)
         and ($4::text is null or sponsor_tier = $4) and ($5::text is null or framework = $5)
         and ($6::float8 is null or (sponsored_at, agent_id) > (timestamptz 'epoch' + $6 * interval '1 microsecond', $7::uuid))
       order by sponsored_at, agent_id limit $8`,
      [
        this.tenancy.tenant,
        filter.agentId ?? null,
        filter.status ?? null,
        filter.tier ?? null,
        filter.framework ?? null,
        after?.[0] ?? null,
        after?.[1] ?? null,
        limit,
      ],
    );
  }
}
