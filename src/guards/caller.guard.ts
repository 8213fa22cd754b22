import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccessTokens } from '../common/access-tokens/access-tokens.js';
import { challengeOf } from '../common/bearer-auth/challenge.js';
import { SETTINGS, type Settings } from '../common/config/settings.js';
import type { TenantCaller } from '../common/contract/caller.js';
import { routeOf, type Access, type BearersTaken, type RouteRecord } from '../common/contract/contract.js';
import { agentSessionIn } from '../common/http/agent-session.js';
import { announcesBody, bearerOf, credentialIn, headerOf, isStorableText } from '../common/http/headers.js';
import { DelegatedCallers } from '../common/keys/delegated-callers.js';
import { AgentCheck } from '../common/keys/agent-check.js';
import { ClientAddresses } from '../common/http/client-address.js';
import { AGENT_TOKEN_PREFIX } from '../common/keys/agent-token.js';
import { presentedKey } from '../common/keys/api-key.js';
import { KeyCheck } from '../common/keys/key-check.js';
import { checkSameOrigin } from '../common/sessions/same-origin.js';
import { SessionCheck } from '../common/sessions/session-check.js';
import { Forbidden, Unauthorized } from '../common/problem/common-problems.js';
import { InvalidToken, UnfitToken } from '../common/problem/daemon-problems.js';
import { Problem } from '../common/problem/problem.js';
import { ToolCallers } from '../common/keys/tool-callers.js';
import { FailedCredentials } from '../common/throttle/failed-credentials.js';
import { checkNamed, takeFromQuery, type NamedTenant } from './named-tenants.js';

/**
 * Authentication, and that a tenant which the query names is the caller's (tenant-api.md 5, items 1 to 10; D7, D8,
 * D15).
 */
@Injectable()
export class CallerGuard implements CanActivate {
  constructor(
    private readonly keys: KeyCheck,
    private readonly sessions: SessionCheck,
    private readonly agents: AgentCheck,
    private readonly delegated: DelegatedCallers,
    private readonly toolCallers: ToolCallers,
    private readonly accessTokens: AccessTokens,
    private readonly failures: FailedCredentials,
    private readonly addresses: ClientAddresses,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const route = routeOf(request);
    if (!route || route.access.kind === 'anyone') return true;
    try {
      await this.admit(request, route);
      return true;
    } catch (error) {
      if (!takesAccessTokens(route) || !(error instanceof Problem)) throw error;
      const challenge = this.accessTokens.resource && challengeOf(error, this.accessTokens.resource);
      if (challenge !== undefined) void http.getResponse<FastifyReply>().header('www-authenticate', challenge);
      // A token that the right key signed is no guess.
      if (error instanceof InvalidToken && !(error instanceof UnfitToken))
        this.failures.fail({ address: this.addresses.of(request), prefix: 'token' });
      throw error;
    }
  }

  private async admit(request: FastifyRequest, route: RouteRecord): Promise<void> {
    const { access } = route;
    // A call of a tool names its tenant in its own arguments, which the API looks at.
    const named = access.kind === 'tool' ? [] : takeFromQuery(request.query);
    const find = () =>
      access.kind === 'tool'
        ? this.toolCallers.find(credentialIn(request), access)
        : this.authenticate(request, route, named);
    const key = this.isByAccessToken(request, route) ? undefined : keyIn(request, access);
    const addressOf = () => this.addresses.of(request);
    const caller = key === undefined ? await find() : await this.failures.check(presentedKey(key), addressOf, find);
    if (!caller) {
      if (key === undefined && this.isForged(request)) this.failures.fail({ address: addressOf(), prefix: 'forged' });
      throw new Unauthorized({}, remedyFor(request, route));
    }
    // A tool's call is checked where it is read: its transport answers it in its own form.
    const agentSession = access.kind === 'tool' ? undefined : agentSessionIn(request);
    request.caller = agentSession === undefined ? caller : { ...caller, agentSession };
    checkNamed(named, caller);
  }

  private isByAccessToken(request: FastifyRequest, route: RouteRecord): boolean {
    const isBearer = headerOf(request, 'x-api-key') === undefined;
    return takesAccessTokens(route) && isBearer && this.accessTokens.take(bearerOf(request));
  }

  /**
   * A key takes precedence over a bearer, a bearer over a cookie; a route that asks for a session looks at the cookie
   * first.
   */
  private async authenticate(
    request: FastifyRequest,
    { access, idempotent }: RouteRecord,
    named: NamedTenant[],
  ): Promise<TenantCaller | undefined> {
    const apiKey = headerOf(request, 'x-api-key');
    const token = bearerOf(request);
    const asksForSession = credentialOf(access) === 'session';
    if (asksForSession || (apiKey === undefined && token === undefined)) {
      const caller = await this.sessions.find(headerOf(request, 'cookie'));
      const delegated = caller || asksForSession ? undefined : await this.delegated.find(request);
      if (delegated) return this.sameTenant(request, delegated);
      if (caller) {
        if (!READS.has(request.method)) checkSameOrigin(request, idempotent, this.settings.process.publicUrl);
        return this.sameTenant(request, caller);
      }
    }
    if (token !== undefined && apiKey === undefined) {
      const caller = await this.agents.find(token);
      return caller && this.sameTenant(request, caller);
    }
    if (apiKey === undefined || asksForSession) return undefined;
    return this.findOwner(request, apiKey, named);
  }

  private async findOwner(
    request: FastifyRequest,
    apiKey: string,
    named: NamedTenant[],
  ): Promise<TenantCaller | undefined> {
    const tenantId = headerOf(request, 'x-tenant-id') ?? (this.allowsLegacyTenant ? named[0]?.tenant : undefined);
    if (tenantId !== undefined) return isStorableText(tenantId) ? this.keys.find(tenantId, apiKey) : undefined;
    if (!this.allowsLegacyTenant || !announcesBody(request)) return undefined;
    request.namesTenantInBody = true;
    return this.keys.findByKey(apiKey);
  }

  /** What bears our signature is no guess, though it may have ended. */
  private isForged(request: FastifyRequest): boolean {
    const token = bearerOf(request);
    return (
      (token !== undefined && this.agents.read(token) === undefined) ||
      this.sessions.isForged(headerOf(request, 'cookie'))
    );
  }

  /** With a cookie or a bearer the header is not needed; sent, it must say the same. */
  private sameTenant(request: FastifyRequest, caller: TenantCaller): TenantCaller {
    const header = headerOf(request, 'x-tenant-id');
    if (header === undefined || header === caller.tenantId) return caller;
    request.caller = caller;
    throw new Forbidden({}, 'headers.x-tenant-id names another tenant than the credential');
  }

  /**
   * Outside production and only when allowed, the tenant in query or body stands in for the header (tenant-api.md 5,
   * item 4).
   */
  private get allowsLegacyTenant(): boolean {
    return this.settings.api.allowLegacyTenantFields && this.settings.process.nodeEnv !== 'production';
  }
}

/** The API key that takes precedence over other credentials. */
function keyIn(request: FastifyRequest, access: Access): string | undefined {
  const apiKey = headerOf(request, 'x-api-key');
  if (apiKey !== undefined) return credentialOf(access) === 'session' ? undefined : apiKey;
  const token = access.kind === 'tool' && access.bearerKeys ? bearerOf(request) : undefined;
  return token?.startsWith(AGENT_TOKEN_PREFIX) ? undefined : token;
}

const takesAccessTokens = ({ access }: RouteRecord): boolean => access.kind === 'tool' && access.accessTokens === true;

const READS = new Set(['GET', 'HEAD']);

/** What a route asks for, and what to do without it. */
export const REMEDIES = {
  any: 'Send x-tenant-id and x-api-key of the same tenant, or the cookie of a session',
  session: 'Sign in first: POST /frontdoor/auth/connect or POST /v1/org/accept-invite, and send the cookie',
  agent: 'Send Authorization: Bearer <sessionToken> as POST /v1/agents/register gave it',
  tool: 'Send x-tenant-id and x-api-key of the same tenant',
  ended: 'This bearer is malformed, has expired, or its agent was released; let the agent register again',
};

/** A caller with an agent's bearer gets the remedy for that, unless the route asks for something else. */
function remedyFor(request: FastifyRequest, { access }: RouteRecord): string {
  const kind = credentialOf(access);
  const takesAgents = access.kind === 'tool' ? access.agents === true : kind !== 'session';
  const byBearer = takesAgents && headerOf(request, 'x-api-key') === undefined;
  if (byBearer && bearerOf(request)?.startsWith(AGENT_TOKEN_PREFIX)) return REMEDIES.ended;
  return REMEDIES[kind] + (access.kind === 'tool' ? bearersOf(access) : '');
}

function bearersOf({ agents, bearerKeys }: BearersTaken): string {
  const bearers = [...(agents ? ['the sessionToken of an agent'] : []), ...(bearerKeys ? ['the API key'] : [])];
  return bearers.length > 0 ? `, or Authorization: Bearer with ${bearers.join(' or ')}` : '';
}

function credentialOf(access: Access): 'any' | 'session' | 'agent' | 'tool' {
  if (access.kind === 'agent' || access.kind === 'tool') return access.kind;
  return access.kind === 'seats' && access.session ? 'session' : 'any';
}
