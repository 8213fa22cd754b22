import type { FastifyRequest } from 'fastify';
import type { RouteAuthMode } from '../../common/config/daemon/daemon-settings.js';
import type { Log } from '../../common/observability/log.js';
import { hasScope, type Identity } from '../auth/daemon-caller.js';
import { MissingScope, NotAuthenticated, RouteUnclassified } from '../problems/daemon-problems.js';
import type { Problem } from '../../common/problem/problem.js';
import { classify, type Classified } from './route-class.js';

/** The deny-by-default layer (memory-daemon.md 5.4): off passes, shadow tells in the log what it would refuse, enforce refuses. */
export class RouteAuth {
  constructor(
    private readonly mode: RouteAuthMode,
    private readonly log: Log,
  ) {}

  get enforces(): boolean {
    return this.mode === 'enforce';
  }

  /**
   * Of an address that no room declares, such as the documentation's. Where nothing is at all, it is unclassified, unless all that could be there is
   * public (memory-daemon.md 4.1: everything under /v1/auth/).
   * @param path what was sent
   */
  classify(verb: string, template: string | undefined, path: string): Classified | undefined {
    if (template !== undefined) return classify(verb, template);
    const found = classify(verb, path);
    return found?.class === 'Public' ? found : undefined;
  }

  /** @throws MissingScope, RouteUnclassified, NotAuthenticated; only under enforce */
  check(request: FastifyRequest, classified: Classified | undefined, identity: Identity | undefined): void {
    if (this.mode === 'off') return;
    const refusal = refusalOf(classified, identity);
    if (!refusal) return;
    if (this.enforces) throw refusal;
    const { id, method, routeOptions } = request;
    this.log.warn(
      {
        request_id: id,
        method,
        route: request.is404 ? 'none' : routeOptions.url,
        route_class: classified?.class,
        accepted: classified?.anyOf,
        would_deny: refusal.kind.status,
      },
      'route_auth_shadow_mismatch',
    );
  }
}

function refusalOf(classified: Classified | undefined, identity: Identity | undefined): Problem | undefined {
  if (!classified)
    return new RouteUnclassified({}, 'Route-auth (SVCD_ROUTE_AUTH=enforce) knows no route at this address');
  const { anyOf } = classified;
  if (classified.class === 'Public') return undefined;
  if (identity && (identity.scopes === 'all' || anyOf.some((scope) => hasScope(identity, scope)))) return undefined;
  if (!identity) return new NotAuthenticated({ hint: 'Send a credential' }, 'This address takes a credential');
  const list = anyOf.length > 0 ? `one of: ${anyOf.join(', ')}` : 'no scope at all';
  return new MissingScope({ missingAnyScope: anyOf }, `Route-auth (SVCD_ROUTE_AUTH=enforce) takes ${list}`);
}
