import { DAEMON_SETTINGS } from '../config/daemon/daemon-settings.js';
import { DAEMON_FLAGS } from '../config/daemon/flag-table.js';
import { flagVariable, isFeature } from '../config/feature-flags.js';
import { DaemonProblem } from '../problem/daemon-problem-body.js';
import { daemonProblems, PROBLEM_JSON, typeOf } from '../problem/daemon-problem-form.js';
import {
  DAEMON_COMMON_PROBLEMS,
  DAEMON_CREDENTIAL_PROBLEMS,
  FenceStale,
  FlagOff,
  PlaneOff,
  ProServiceOff,
  SpoofableAuth,
} from '../problem/daemon-problems.js';
import { PEER_PROBLEMS } from '../problem/peer-problems.js';
import type { ProblemClass } from '../problem/problem.js';
import { classify } from '../route-auth/route-class.js';
import type { RouteRecord } from './contract.js';
import { DAEMON_TAGS } from './daemon-tags.js';
import { FENCE_PARAMETER } from './fence.js';
import { PLANE_REPORTED_OFF } from './plane-reported-off.js';
import { SESSION_PARAMETER, type ServerContract } from './server-contract.js';

/**
 * The memory daemon (memory-daemon.md 5 and 7).
 * @param errorsBase what every `type` of a problem begins with
 */
export const daemonContract = (errorsBase: string): ServerContract => ({
  title: {
    title: 'svc memory daemon',
    description:
      'Facts, graph, streams and evidence for agents and their teams. Every failure has one body, DaemonProblem (RFC 9457). The route manifest is at /v1/openapi.json; planes that are not built in this version are not in it, and answer 404 NOT_BUILT.',
    version: '0.1.0',
    server: '/',
  },
  tags: DAEMON_TAGS,
  accessKinds: ['anyone', 'scopes', 'unchecked'],
  problemForm: {
    contentType: PROBLEM_JSON,
    body: DaemonProblem,
    bodyOf: daemonProblems(errorsBase).bodyOf,
    typeOf: (kind) => typeOf(errorsBase, kind),
  },
  problemsOf: (route) => [
    ...DAEMON_COMMON_PROBLEMS,
    ...(route.access.kind === 'anyone' ? [] : DAEMON_CREDENTIAL_PROBLEMS),
    ...flagProblems(route),
    ...(route.provenCaller ? [SpoofableAuth] : []),
    ...(takesFence(route) ? [FenceStale] : []),
    ...(route.peers ? PEER_PROBLEMS : []),
    ...(route.service ? [ProServiceOff] : []),
  ],
  securitySchemes: SECURITY_SCHEMES,
  credentialsOf: ({ access, peers }) =>
    access.kind === 'anyone' ? [] : peers ? [...CREDENTIALS, { peerSignature: [] }] : CREDENTIALS,
  headersOf: (route) => [
    ...(route.access.kind === 'anyone' ? [] : [SESSION_PARAMETER]),
    ...(takesFence(route) ? [FENCE_PARAMETER] : []),
  ],
  offSchema: ({ flag }) =>
    flag !== undefined && !isFeature(flag) && DAEMON_FLAGS[flag].off === 'reported' ? PLANE_REPORTED_OFF : undefined,
  extensionsOf: ({ access, tenantBound, peers, flag, service, verb, path, unlisted, extension }) => ({
    ...(access.kind === 'scopes' ? { 'x-scopes': { [`${access.rule}_of`]: access.scopes } } : {}),
    ...(tenantBound ? { 'x-tenant-bound': true } : {}),
    ...(peers ? { 'x-peers': peers } : {}),
    'x-route-class': classify(verb, path)?.class,
    ...(flag ? { 'x-flag': flagVariable(flag) } : {}),
    ...(service ? { 'x-flag': DAEMON_SETTINGS.proServices.env, 'x-pro-service': service } : {}),
    ...(unlisted ? { 'x-unlisted': true } : {}),
    ...(extension ? { 'x-extension': true } : {}),
  }),
});

/** Whatever may change something of a tenant. */
const takesFence = ({ verb, access }: RouteRecord): boolean => verb !== 'GET' && access.kind !== 'anyone';

const SECURITY_SCHEMES = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A token of the mode jwt_hs256 or jwt_jwks (`svc token` mints one); in dev_scopes a list of scopes. x-scopes of an operation says which it takes.',
  },
  devScopes: {
    type: 'apiKey',
    in: 'header',
    name: 'x-svc-scopes',
    description: 'Scopes, in the mode dev_scopes alone.',
  },
  peerSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'signature',
    description:
      'With SVCD_SYNC_MUTUAL_AUTH=1, and then alone: an HTTP Message Signature (RFC 9421) of a peer, docs/formats/peer-requests.md.',
  },
};

const CREDENTIALS: Record<string, string[]>[] = [{ bearer: [] }, { devScopes: [] }];

function flagProblems({ flag }: RouteRecord): ProblemClass[] {
  const off = flag === undefined || isFeature(flag) ? undefined : DAEMON_FLAGS[flag].off;
  if (off === 404) return [FlagOff];
  return off === 501 ? [PlaneOff] : [];
}
