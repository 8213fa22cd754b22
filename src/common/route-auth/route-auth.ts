import type { FastifyRequest } from 'fastify';
import type { RouteAuthMode } from '../config/daemon/daemon-settings.js';
import type { Log } from '../observability/log.js';
import { hasScope, type Identity } from '../bearer-auth/daemon-caller.js';
import { MissingScope, NotAuthenticated, RouteUnclassified } from '../problem/daemon-problems.js';
import type { Problem } from '../problem/problem.js';
import { classify, type Classified } from './route-class.js';
import type { UnbuiltPlanes } from './unbuilt-planes.js';

/** An address, with the template of the route at it, where there is one. */
interface Addressed {
  method: string;
  path: string;
  template: string | undefined;
}

type Scoped = Pick<Identity, 'scopes'>;

/** The deny-by-default layer (memory-daemon.md 5.4): off passes, shadow logs what it would refuse, enforce refuses. */
export class RouteAuth {
  /** By address: the classes do not change. */
  private readonly classes = new Map<string, Classified | undefined>();

  constructor(
    private readonly mode: RouteAuthMode,
    private readonly planes: UnbuiltPlanes,
    private readonly log: Log,
  ) {}

  get enforces(): boolean {
    return this.mode === 'enforce';
  }

  /**
   * The class of the route that a request is for. An address without a route is unclassified (memory-daemon.md 5.4:
   * unmatched), unless every route that could be there is public (4.1: everything under /v1/auth/), or its plane is not
   * built: that keeps its class.
   */
  classify({ method, url, is404, routeOptions }: FastifyRequest): Classified | undefined {
    return this.classOf({ method, path: url.split('?', 1)[0]!, template: is404 ? undefined : routeOptions.url! });
  }

  /** The same of an address that nobody has asked for. */
  classOf({ method, path, template }: Addressed): Classified | undefined {
    // HEAD is answered by the route of GET (RFC 9110, 9.3.2).
    const verb = method === 'HEAD' ? 'GET' : method;
    if (template === undefined) {
      const found = classify(verb, path);
      return found?.class === 'Public' || this.planes.find(path) ? found : undefined;
    }
    const address = `${verb} ${template}`;
    if (!this.classes.has(address)) this.classes.set(address, classify(verb, template));
    return this.classes.get(address);
  }

  /** What the layer has against a request; only under enforce it is refused for that. */
  objection(classified: Classified | undefined, identity: Scoped | undefined): Problem | undefined {
    return this.mode === 'off' ? undefined : refusalOf(classified, identity);
  }

  /** @throws MissingScope, RouteUnclassified, NotAuthenticated; only under enforce */
  check(request: FastifyRequest, classified: Classified | undefined, identity: Identity | undefined): void {
    const refusal = this.objection(classified, identity);
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

function refusalOf(classified: Classified | undefined, identity: Scoped | undefined): Problem | undefined {
  if (!classified)
    return new RouteUnclassified({}, 'Route-auth (SVCD_ROUTE_AUTH=enforce) knows no route at this address');
  const { anyOf } = classified;
  if (classified.class === 'Public') return undefined;
  if (identity && (identity.scopes === 'all' || anyOf.some((scope) => hasScope(identity, scope)))) return undefined;
  if (!identity) return new NotAuthenticated({ hint: 'Send a credential' }, 'This address takes a credential');
  const list = anyOf.length > 0 ? `one of: ${anyOf.join(', ')}` : 'no scope at all';
  return new MissingScope({ missingAnyScope: anyOf }, `Route-auth (SVCD_ROUTE_AUTH=enforce) takes ${list}`);
}
