import { Inject, Injectable } from '@nestjs/common';
import { isDevMode } from '../../../common/config/daemon/auth-mode.js';
import { ROUTE_AUTH_MODES, type RouteAuthMode } from '../../../common/config/daemon/daemon-settings.js';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { unchecked, type RouteRecord } from '../../../common/contract/contract.js';
import { isFeature, flagVariable } from '../../../common/config/feature-flags.js';
import { LOG, type Log } from '../../../common/observability/log.js';
import { NotFound } from '../../../common/problem/common-problems.js';
import { daemonProblems } from '../../../common/problem/daemon-problem-form.js';
import { NotAuthenticated, NotBuilt, SpoofableAuth } from '../../../common/problem/daemon-problems.js';
import type { Problem } from '../../../common/problem/problem.js';
import { RouteAuth } from '../../../common/route-auth/route-auth.js';
import type { Classified } from '../../../common/route-auth/route-class.js';
import { scopeObjection } from '../../../common/route-auth/scope-check.js';
import { UnbuiltPlanes } from '../../../common/route-auth/unbuilt-planes.js';
import { flagAt, flagObjection, flagsOff } from '../../../guards/daemon-flag.guard.js';
import { serviceObjection } from '../../../guards/pro-service.guard.js';
import { judge } from './judgement.rules.js';
import type { ProbedMode, RouteProbe, RouteProbeRequest } from './route-probe.dto.js';
import { findingsOfProbe } from './route-probe.rules.js';
import { RouteTable } from './route-table.js';

/** An address with what stands there, and who asks. */
interface Probed {
  path: string;
  route: RouteRecord | undefined;
  classified: Classified | undefined;
  /** Undefined: no credential. */
  identity: { scopes: ReadonlySet<string> } | undefined;
}

/**
 * What the guards would make of a request in each mode of route-auth, in their order and by their own rules, without
 * making it.
 */
@Injectable()
export class RouteProbeService {
  private readonly layers: ReadonlyMap<RouteAuthMode, RouteAuth>;
  private readonly off: ReturnType<typeof flagsOff>;
  private readonly enabled: ReadonlySet<string>;

  constructor(
    private readonly table: RouteTable,
    private readonly planes: UnbuiltPlanes,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOG) log: Log,
  ) {
    this.layers = new Map(ROUTE_AUTH_MODES.map((mode) => [mode, new RouteAuth(mode, planes, log)]));
    this.off = flagsOff(settings.flags);
    this.enabled = new Set(settings.daemon.proServices);
  }

  probe({ method, path: sent, scopes }: RouteProbeRequest): RouteProbe {
    const path = sent.split('?', 1)[0]!;
    const route = this.table.find(method, path);
    const classified = this.layers.get('enforce')!.classOf({ method, path, template: route?.path });
    const identity = scopes.length === 0 ? undefined : { scopes: new Set(scopes) };
    const modes = ROUTE_AUTH_MODES.map((mode) => this.answerIn(mode, { path, route, classified, identity }));
    const access = route?.access;
    const said = {
      route: route?.address ?? null,
      route_class: classified?.class ?? null,
      route_scopes: [...(classified?.anyOf ?? [])],
      handler_rule: access ? (access.kind === 'scopes' ? access.rule : access.kind) : null,
      handler_scopes: access?.kind === 'scopes' ? [...access.scopes] : [],
      flag: flagOf(route),
    };
    const found = findingsOfProbe(`${method} ${path}`, said, modes);
    const words = modes.map(({ mode, outcome, status }) => `${mode} ${status ?? outcome}`).join(', ');
    return { schema: 'svc.workbench.route-probe/1', ...said, modes, ...judge(found, words) };
  }

  private answerIn(mode: RouteAuthMode, probed: Probed): ProbedMode {
    const layer = this.layers.get(mode)!;
    const refusal = this.refusalIn(layer, probed);
    const isMarked = mode === 'shadow' && this.isObjectedTo(layer, probed);
    const body = refusal && daemonProblems(this.settings.daemon.errorsBase).bodyOf(refusal, '');
    return {
      mode,
      current: this.settings.daemon.routeAuth === mode,
      outcome: refusal ? 'refused' : 'passes',
      status: refusal?.kind.status ?? null,
      code: (body?.code as string | undefined) ?? null,
      detail: refusal ? refusal.message || null : null,
      missing_any_scope: [...((refusal?.facts.missingAnyScope as readonly string[] | undefined) ?? [])],
      missing_scopes: [...((refusal?.facts.missingScopes as readonly string[] | undefined) ?? [])],
      marked: isMarked,
    };
  }

  /** In the order of the guards: flag, proof, credential and route-auth, scopes, service, and what is not there. */
  private refusalIn(layer: RouteAuth, probed: Probed): Problem | undefined {
    const { path, route, classified } = probed;
    const flag = flagAt(this.off, route?.path ?? path);
    if (flag) return flagObjection(flag);
    const { authMode = 'off' } = this.settings.daemon;
    if (route?.provenCaller && isDevMode(authMode)) return new SpoofableAuth({ auth_mode: authMode });
    const refused = classified?.class === 'Public' ? undefined : this.callerRefusal(layer, probed);
    return refused ?? serviceObjection(route, this.enabled) ?? this.absence(probed);
  }

  private callerRefusal(layer: RouteAuth, { route, classified, identity }: Probed): Problem | undefined {
    const access = route?.access ?? (classified && unchecked());
    if (access && !identity && !(access.kind === 'unchecked' && !layer.enforces))
      return new NotAuthenticated({ hint: 'Send a credential' }, 'This address takes a credential');
    const objection = layer.objection(classified, access && identity);
    if (objection && layer.enforces) return objection;
    return route && identity ? scopeObjection(route.access, identity) : undefined;
  }

  private isObjectedTo(layer: RouteAuth, probed: Probed): boolean {
    const { route, classified, identity, path } = probed;
    if (classified?.class === 'Public' || flagAt(this.off, route?.path ?? path)) return false;
    const access = route?.access ?? (classified && unchecked());
    // Who shows no credential where one is asked for is refused before.
    if (access && !identity && access.kind !== 'unchecked') return false;
    return layer.objection(classified, access && identity) !== undefined;
  }

  private absence({ path, route }: Probed): Problem | undefined {
    if (route) return undefined;
    const plane = this.planes.find(path);
    if (!plane) return new NotFound({}, 'No route is at this address');
    const { detail, ...facts } = plane;
    return new NotBuilt(facts, detail);
  }
}

const flagOf = (route: RouteRecord | undefined): string | null => {
  if (route?.service) return 'SVCD_ENABLED_PRO_SERVICES';
  return route?.flag && !isFeature(route.flag) ? flagVariable(route.flag) : null;
};
