import { Injectable } from '@nestjs/common';
import makeRouter from 'find-my-way';
import type { RouteRecord } from '../../../common/contract/contract.js';
import { RouteManifest } from '../../../common/contract/route-manifest.js';

type Verb = RouteRecord['verb'];

/** Finds the route at an address as Fastify does, by the same router, without a request. */
@Injectable()
export class RouteTable {
  private readonly byAddress = new Map<string, RouteRecord>();
  private router: ReturnType<typeof makeRouter> | undefined;

  constructor(private readonly manifest: RouteManifest) {}

  /** @param path as it would be sent; what of a template is a name in braces is any value */
  find(method: string, path: string): RouteRecord | undefined {
    const verb = method === 'HEAD' ? 'GET' : method;
    const target = path.split('?', 1)[0]!.replace(/\{\w+\}/g, 'x');
    const found = this.routes().find(verb as Verb, target);
    return found ? this.byAddress.get((found.store as Pick<RouteRecord, 'address'>).address) : undefined;
  }

  /** Made when it is first asked for: the manifest is complete once the app has started. */
  private routes(): ReturnType<typeof makeRouter> {
    if (this.router) return this.router;
    const router = makeRouter({ maxParamLength: 2048, ignoreTrailingSlash: false });
    for (const route of this.manifest.routes) {
      this.byAddress.set(route.address, route);
      router.on(route.verb, route.path, () => undefined, { address: route.address });
    }
    this.router = router;
    return router;
  }
}
