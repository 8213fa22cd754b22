import type { RouteProbe } from './route-probe.dto.js';
import type { Evidence, Finding } from './workbench.types.js';

type Said = Pick<RouteProbe, 'route' | 'route_class' | 'route_scopes' | 'handler_scopes' | 'handler_rule'>;
type Modes = Pick<RouteProbe['modes'][number], 'mode' | 'current' | 'outcome' | 'status' | 'code' | 'detail'>[];

/** What differs between the modes, and what the present one refuses. */
export function findingsOfProbe(subject: string, said: Said, modes: Modes): Finding[] {
  const current = modes.find((one) => one.current)!;
  const enforce = modes.find(({ mode }) => mode === 'enforce')!;
  const none = said.handler_rule === 'any' && said.route_class !== 'Public' && meetNowhere(said);
  const found: (Finding | false)[] = [
    said.route === null && {
      ...{ id: 'route.absent', severity: 'warn', subject, evidence: [] },
      fix: 'Look for the address in /docs or GET /v1/openapi.json',
    },
    current.outcome === 'refused' && {
      ...{ id: 'route.refused', severity: 'fail', subject, evidence: [evidenceOf(current)] },
      fix: current.detail ?? 'Send other scopes',
    },
    current.outcome === 'passes' &&
      enforce.outcome === 'refused' && {
        ...{ id: 'route.refused_under_enforce', severity: 'warn', subject, evidence: [evidenceOf(enforce)] },
        fix: fixBeforeEnforce(said),
      },
    none && {
      ...{ id: 'route.no_single_scope', severity: 'info', subject, evidence: [] },
      fix: `Under enforce it takes two scopes: one of ${said.route_scopes.join(', ')} and one of ${said.handler_scopes.join(', ')}`,
    },
  ];
  return found.filter((one) => one !== false);
}

const fixBeforeEnforce = ({ route_scopes }: Said): string =>
  route_scopes.length === 0
    ? 'No scope opens it once SVCD_ROUTE_AUTH becomes enforce: have nobody depend on it before'
    : `Add one of ${route_scopes.join(', ')} to the scopes before SVCD_ROUTE_AUTH becomes enforce`;

const meetNowhere = ({ route_scopes, handler_scopes }: Said): boolean =>
  route_scopes.length > 0 && !route_scopes.some((scope) => handler_scopes.includes(scope));

const evidenceOf = ({ mode, status, code, detail }: Modes[number]): Evidence => ({
  kind: 'route',
  ref: mode,
  detail: `${status} ${code}${detail === null ? '' : `: ${detail}`}`,
});
