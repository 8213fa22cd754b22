import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { SETTINGS, type Settings } from '../common/config/settings.js';
import type { TenantCaller } from '../common/contract/caller.js';
import { ROUTE, type Access, type BearersTaken, type RouteRecord } from '../common/contract/contract.js';
import { bearerOf, credentialIn, headerOf, isStorableText } from '../common/http/headers.js';
import { AgentCheck } from '../common/keys/agent-check.js';
import { KeyCheck } from '../common/keys/key-check.js';
import { checkSameOrigin } from '../common/sessions/same-origin.js';
import { SessionCheck } from '../common/sessions/session-check.js';
import { Forbidden, Unauthorized } from '../common/problem/house-problems.js';
import { ToolCallers } from '../common/keys/tool-callers.js';

/** Authentication, and that every tenant the request names is the caller's (tenant-api.md 5, items 1 to 10; D7, D8, D15). */
@Injectable()
export class CallerGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly keys: KeyCheck,
    private readonly sessions: SessionCheck,
    private readonly agents: AgentCheck,
    private readonly toolCallers: ToolCallers,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const route = this.reflector.get<RouteRecord | undefined>(ROUTE, context.getHandler());
    if (!route) throw new Forbidden({}, 'This route declares no access');
    if (route.access.kind === 'anyone') return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { access } = route;
    // A call of a tool names its tenant in its own arguments, which the API looks at.
    const named = access.kind === 'tool' ? [] : namedTenants(request);
    const caller =
      access.kind === 'tool'
        ? await this.toolCallers.find(credentialIn(request), access)
        : await this.authenticate(request, route, named);
    if (!caller) throw new Unauthorized({}, remedyFor(request, route));
    request.caller = caller;
    const foreign = named.find(({ tenant }) => tenant !== caller.tenantId);
    if (foreign) throw new Forbidden({}, `${foreign.path} names another tenant than the credential`);
    return true;
  }

  /** A key decides over a bearer, a bearer over a cookie; a route that asks for a session looks at the cookie first. */
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
    const tenantId = headerOf(request, 'x-tenant-id') ?? this.legacyTenant(named);
    return tenantId && isStorableText(tenantId) ? this.keys.find(tenantId, apiKey) : undefined;
  }

  /** With a cookie or a bearer the header is not needed; sent, it must say the same. */
  private sameTenant(request: FastifyRequest, caller: TenantCaller): TenantCaller {
    const header = headerOf(request, 'x-tenant-id');
    if (header === undefined || header === caller.tenantId) return caller;
    request.caller = caller;
    throw new Forbidden({}, 'headers.x-tenant-id names another tenant than the credential');
  }

  /** Outside production and only when allowed, the tenant in body or query stands in for the header (tenant-api.md 5, item 4). */
  private legacyTenant(named: NamedTenant[]): string | undefined {
    const allowed = this.settings.api.allowLegacyTenantFields && this.settings.process.nodeEnv !== 'production';
    return allowed ? named[0]?.tenant : undefined;
  }
}

const READS = new Set(['GET', 'HEAD']);

/** What a route asks for, and what to do without it. */
const REMEDIES = {
  any: 'Send x-tenant-id and x-api-key of the same tenant, or the cookie of a session',
  session: 'Sign in first: POST /frontdoor/auth/connect or POST /v1/org/accept-invite, and send the cookie',
  agent: 'Send Authorization: Bearer <sessionToken> as POST /v1/agents/register gave it',
  tool: 'Send x-tenant-id and x-api-key of the same tenant',
  ended: 'This bearer is not whole, has expired, or its agent was let go; let the agent register anew',
};

/** Who came with the bearer of an agent is told of that, unless the route asks for something else. */
function remedyFor(request: FastifyRequest, { access }: RouteRecord): string {
  const kind = credentialOf(access);
  const takesAgents = access.kind === 'tool' ? access.agents === true : kind !== 'session';
  const byBearer = takesAgents && headerOf(request, 'x-api-key') === undefined;
  if (byBearer && bearerOf(request)?.startsWith('svc_self_')) return REMEDIES.ended;
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

interface NamedTenant {
  path: string;
  tenant: string;
}

/** Every tenantId in the query, in the body and in the objects of the body's lists. */
function namedTenants({ query, body }: FastifyRequest): NamedTenant[] {
  const found: NamedTenant[] = [];
  const add = (path: string, holder: unknown) => {
    const value =
      typeof holder === 'object' && holder !== null ? (holder as Record<string, unknown>).tenantId : undefined;
    for (const tenant of Array.isArray(value) ? (value as unknown[]) : [value])
      if (typeof tenant === 'string') found.push({ path: `${path}.tenantId`, tenant });
  };
  add('query', query);
  add('body', body);
  for (const [name, list] of Object.entries(body ?? {})) {
    if (Array.isArray(list)) list.forEach((item, index) => add(`body.${name}[${index}]`, item));
  }
  return found;
}
