import { Injectable } from '@nestjs/common';
import { AccessTokens } from '../access-tokens/access-tokens.js';
import type { TenantCaller } from '../contract/caller.js';
import type { BearersTaken } from '../contract/contract.js';
import { isStorableText } from '../http/headers.js';
import { AgentCheck } from './agent-check.js';
import { AGENT_TOKEN_PREFIX } from './agent-token.js';
import { KeyCheck } from './key-check.js';
import { Forbidden } from '../problem/common-problems.js';
import { Problem } from '../problem/problem.js';

/** What came with a call to say who makes it; nothing of it is trusted before the caller guard has checked it. */
export interface Credential {
  tenantId?: string;
  apiKey?: string;
  /**
   * Of `Authorization: Bearer`: an agent's session token, or where the transport takes it an API key or the access
   * token of a person.
   */
  bearer?: string;
}

/**
 * Who calls the tool service, by whatever transport (tenant-api.md 5, item 14; D29). A key with its tenant takes
 * precedence over a bearer.
 */
@Injectable()
export class ToolCallers {
  constructor(
    private readonly keys: KeyCheck,
    private readonly agents: AgentCheck,
    private readonly accessTokens: AccessTokens,
  ) {}

  /**
   * @param takes which bearers may stand in for the two headers
   * @returns undefined when the credential is nobody's, whatever the reason
   * @throws Forbidden when the tenant sent with a bearer is not the bearer's; Unauthorized when a bearer is the key of
   * several tenants, or the tenant is not active; of an access token what AccessTokens throws
   */
  async find({ tenantId, apiKey, bearer }: Credential, takes: BearersTaken): Promise<TenantCaller | undefined> {
    if (tenantId !== undefined && !isStorableText(tenantId)) return undefined;
    if (apiKey !== undefined) return tenantId === undefined ? undefined : this.keys.find(tenantId, apiKey);
    if (bearer === undefined) return undefined;
    if (takes.accessTokens && this.accessTokens.take(bearer)) return this.accessTokens.find(bearer, tenantId);
    const caller = bearer.startsWith(AGENT_TOKEN_PREFIX)
      ? takes.agents && (await this.agents.find(bearer))
      : takes.bearerKeys && (await this.findByKey(bearer, tenantId));
    if (!caller) return undefined;
    if (tenantId !== undefined && tenantId !== caller.tenantId)
      throw new Forbidden({}, 'headers.x-tenant-id names another tenant than the credential');
    return caller;
  }

  /** Whether a credential that was somebody's still is. One that cannot be looked up just now has not ended. */
  async holds(credential: Credential, takes: BearersTaken): Promise<boolean> {
    try {
      return (await this.find(credential, takes)) !== undefined;
    } catch (error) {
      return !(error instanceof Problem) || error.kind.status >= 500;
    }
  }

  private async findByKey(apiKey: string, tenantId: string | undefined): Promise<TenantCaller | undefined> {
    const own = tenantId === undefined ? undefined : await this.keys.find(tenantId, apiKey);
    return own ?? this.keys.findByKey(apiKey);
  }
}
