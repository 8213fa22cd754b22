import { Injectable } from '@nestjs/common';
import { uuid } from '../../../../common/ids/uuid.js';
import { Tenancy } from '../../../../common/tenancy/tenancy.js';

/** The homes of agents. One comes into being with the first thing that is kept in it. */
@Injectable()
export class HomesStore {
  constructor(private readonly tenancy: Tenancy) {}

  /** The home of an agent nobody has written for is none. */
  async find(agentId: string): Promise<string | undefined> {
    const [row] = await this.tenancy.query<{ home_id: string }>(
      'select home_id from agent_home where tenant_id = $1 and agent_id = $2',
      [this.tenancy.tenant, agentId],
    );
    return row?.home_id;
  }

  /** The home of an agent, made where there is none. Until the unit of work ends, no other writes in it. */
  async hold(agentId: string): Promise<string> {
    await this.tenancy.query(
      'insert into agent_home (tenant_id, agent_id, home_id) values ($1, $2, $3) on conflict (tenant_id, agent_id) do nothing',
      [this.tenancy.tenant, agentId, uuid()],
    );
    const [row] = await this.tenancy.query<{ home_id: string }>(
      'select home_id from agent_home where tenant_id = $1 and agent_id = $2 for update',
      [this.tenancy.tenant, agentId],
    );
    return row!.home_id;
  }
}
