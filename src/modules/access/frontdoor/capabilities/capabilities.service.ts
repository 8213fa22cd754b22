import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../../common/config/settings.js';
import { isAdmitted, isFlagOn, isTierAdmitted } from '../../../../common/contract/access-rules.js';
import type { CallerRole, TenantCaller } from '../../../../common/contract/caller.js';
import type { Address, RouteRecord } from '../../../../common/contract/contract.js';
import { RouteManifest } from '../../../../common/contract/route-manifest.js';
import type { FrontdoorSessionCapabilities } from './capabilities.dto.js';

/** Which route each capability is about. Which roles may call it stands in the route's declaration. */
export const CAPABILITY_ROUTES = {
  proof: {
    canCreateJob: 'POST /v1/proof/jobs',
    canReadJob: 'GET /v1/proof/jobs/:id',
    canReadChunks: 'GET /v1/proof/jobs/:id/chunks',
    canReadReceipt: 'GET /v1/proof/jobs/:id/receipt',
  },
  watch: {
    canCreate: 'POST /v1/watches',
    canList: 'GET /v1/watches',
    canRevoke: 'DELETE /v1/watches/:id',
    canListAlerts: 'GET /v1/watches/:id/alerts',
  },
  team: {
    canListSeats: 'GET /v1/org/seats',
    canInviteSeat: 'POST /v1/org/invite',
    canChangeSeatRole: 'PUT /v1/org/seats/:id',
    canRevokeSeat: 'DELETE /v1/org/seats/:id',
    canBootstrapOwner: 'POST /v1/org/bootstrap-owner',
  },
} as const satisfies Record<string, Record<string, Address>>;

type Groups = typeof CAPABILITY_ROUTES;
type Routes = { [G in keyof Groups]: Record<keyof Groups[G], RouteRecord> };

/** What the guards let a role ask for and the service then always refuses it, whatever the tenant has. */
const NEVER_DONE_FOR = new Map<Address, readonly CallerRole[]>([['POST /v1/org/bootstrap-owner', ['admin']]]);

/** Reports what a session may do, from the route declarations that the guards read. */
@Injectable()
export class CapabilitiesService implements OnApplicationBootstrap {
  private routes!: Routes;

  constructor(
    private readonly manifest: RouteManifest,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** @throws Error naming every route that the server does not have: a flag about it would be a lie */
  onApplicationBootstrap(): void {
    const known = new Map(this.manifest.routes.map((route) => [route.address, route]));
    const missing = Object.values(CAPABILITY_ROUTES)
      .flatMap((group): Address[] => Object.values(group))
      .filter((address) => !known.has(address));
    if (missing.length > 0) throw new Error(`Capabilities are about routes that do not exist: ${missing.join(', ')}`);
    this.routes = mapMembers(CAPABILITY_ROUTES, (group) =>
      mapMembers(group, (address) => known.get(address as Address)),
    ) as unknown as Routes;
  }

  of(caller: TenantCaller): FrontdoorSessionCapabilities {
    return mapMembers(this.routes, (group) => ({
      enabled: Object.values(group).every((route) => isFlagOn(route, this.settings) && isTierAdmitted(route, caller)),
      ...mapMembers(group, (route) => this.isDone(route, caller)),
    })) as unknown as FrontdoorSessionCapabilities;
  }

  private isDone(route: RouteRecord, caller: TenantCaller): boolean {
    return isAdmitted(route, caller, this.settings) && !NEVER_DONE_FOR.get(route.address)?.includes(caller.role);
  }
}

const mapMembers = <V, R>(object: Record<string, V>, change: (value: V) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
