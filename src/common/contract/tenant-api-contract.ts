import { flagVariable } from '../config/feature-flags.js';
import { SERVER_ID, TOOL_DIGEST } from '../call-policy/call-names.js';
import { isAlwaysOpen } from '../call-policy/shield-call.js';
import {
  COMMON_PROBLEMS,
  CREDENTIAL_PROBLEMS,
  FeatureDisabled,
  IDEMPOTENCY_PROBLEMS,
  SHIELD_PROBLEMS,
} from '../problem/common-problems.js';
import { ProblemBody } from '../problem/problem-body.js';
import { bodyOf } from '../problem/problem.filter.js';
import { SESSION_COOKIE } from '../sessions/session-cookie.js';
import type { Access, DocumentedParameter, RouteRecord } from './contract.js';
import { isShieldedRead } from './route.decorator.js';
import { NEW_KEY } from '../fields/example-values.js';
import { TENANT_API_TAGS } from './tenant-api-tags.js';
import { SESSION_PARAMETER, type DocumentTitle, type ServerContract } from './server-contract.js';

const passesShield = (route: RouteRecord): boolean => route.idempotent || isShieldedRead(route);

/** The tenant API or the tool service (tenant-api.md 5; D10). */
export const tenantApiContract = (title: DocumentTitle): ServerContract => ({
  title,
  tags: TENANT_API_TAGS,
  accessKinds: ['anyone', 'seats', 'agent', 'tool'],
  problemForm: { contentType: 'application/json', body: ProblemBody, bodyOf, typeOf: ({ type }) => type },
  problemsOf: (route) => [
    ...COMMON_PROBLEMS,
    ...(route.access.kind === 'anyone' ? [] : CREDENTIAL_PROBLEMS),
    ...(route.flag && route.flag !== 'selfSignup' ? [FeatureDisabled] : []),
    ...(route.idempotent ? IDEMPOTENCY_PROBLEMS : []),
    ...(passesShield(route) ? SHIELD_PROBLEMS : []),
  ],
  securitySchemes: {
    tenantId: { type: 'apiKey', in: 'header', name: 'x-tenant-id', description: 'The tenant.' },
    apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An API key of that tenant.' },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: SESSION_COOKIE,
      description: 'The session of a signed-in browser.',
    },
    selfSignup: {
      type: 'http',
      scheme: 'bearer',
      description: 'The sessionToken of an agent that registered itself: svc_self_...',
    },
    bearerKey: {
      type: 'http',
      scheme: 'bearer',
      description: 'An API key, for clients that can send nothing else.',
    },
  },
  credentialsOf: ({ access }) => credentialsOf(access),
  headersOf: (route) => [
    ...(route.access.kind === 'anyone' ? [] : [SESSION_PARAMETER]),
    ...(route.idempotent ? [IDEMPOTENCY_HEADER] : []),
    ...(passesShield(route) && !isAlwaysOpen(route.address) ? SHIELD_HEADERS : []),
  ],
  extensionsOf: ({ access, paidTier, flag }) => ({
    ...(access.kind === 'seats' ? { 'x-seat-roles': access.roles } : {}),
    ...(paidTier ? { 'x-paid-tier': true } : {}),
    ...(flag ? { 'x-flag': flagVariable(flag) } : {}),
  }),
});

function credentialsOf(access: Access): Record<string, string[]>[] {
  if (access.kind === 'agent') return [{ selfSignup: [] }];
  if (access.kind === 'tool') {
    const headers = { tenantId: [], apiKey: [] };
    return [headers, ...(access.agents ? [{ selfSignup: [] }] : []), ...(access.bearerKeys ? [{ bearerKey: [] }] : [])];
  }
  if (access.kind !== 'seats') return [];
  if (access.session) return [{ session: [] }];
  const agents = access.discovery || access.roles.includes('member');
  return [{ tenantId: [], apiKey: [] }, { session: [] }, ...(agents ? [{ selfSignup: [] }] : [])];
}

const IDEMPOTENCY_HEADER: DocumentedParameter = {
  name: 'x-idempotency-key',
  required: true,
  description:
    "A key of the caller's choosing for this one effect. A repeat with the same request answers what the first answered, with x-idempotency-replayed: true. Kept 24 hours.",
  schema: { type: 'string', minLength: 8, maxLength: 255 },
  example: NEW_KEY,
};

const SHIELD_HEADERS: readonly DocumentedParameter[] = [
  {
    name: 'x-shield-approval-token',
    description:
      'The token of an approval of exactly this call, as the approver got it. It works once. Without it an equal call of the one who asked goes through as well.',
    schema: { type: 'string', minLength: 8 },
  },
  {
    name: 'x-shield-server-id',
    description:
      'The server whose tool makes the call, where one does: its status and publisher are asked about. In any case: `Files` is `files`.',
    schema: { type: 'string', minLength: 1, maxLength: 120, pattern: SERVER_ID.source },
  },
  {
    name: 'x-shield-tool-digest',
    description:
      'The definition of that tool, sha256:<hex>: a revoked one, or one its server is not trusted with, is refused.',
    schema: { type: 'string', pattern: TOOL_DIGEST.source },
  },
];
