import {
  applyDecorators,
  Delete,
  Get,
  Header,
  HttpCode,
  Patch,
  Post,
  Put,
  SetMetadata,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { ApiExtension, ApiHeader, ApiOperation, ApiResponse, ApiSecurity } from '@nestjs/swagger';
import { IdempotencyInterceptor } from '../idempotency/idempotency.interceptor.js';
import {
  CREDENTIAL_PROBLEMS,
  SHIELD_PROBLEMS,
  ShieldApprovalRequired,
  FeatureDisabled,
  HOUSE_PROBLEMS,
  IDEMPOTENCY_PROBLEMS,
} from '../problem/house-problems.js';
import type { ProblemClass } from '../problem/problem.js';
import {
  GATE_VARIABLES,
  ROUTE,
  type Access,
  type Address,
  type DeclaredRoute,
  type RouteDeclaration,
  type RouteRecord,
  type Verb,
} from './contract.js';
import { isAlwaysOpen } from '../shield/shield-call.js';
import { ShieldInterceptor } from '../shield/shield.interceptor.js';
import { ShieldReadGuard } from '../shield/shield-read.guard.js';
import { problemResponses } from './problem-responses.js';

/** Body limits that differ from the general one, by address; read by the HTTP server when it registers routes. */
export const BODY_LIMITS = new Map<string, number>();

const VERBS = { GET: Get, POST: Post, PUT: Put, PATCH: Patch, DELETE: Delete } satisfies Record<Verb, unknown>;

/**
 * Declares a route: its address, who may call it, what it answers and how it can fail. The guards, the OpenAPI document,
 * the route manifest and the generated authorization tests all read this one declaration.
 */
export function Route<R>(address: Address, declaration: RouteDeclaration<R>) {
  return <H extends (...args: never[]) => Promise<R>>(
    target: object,
    name: string,
    descriptor: TypedPropertyDescriptor<H>,
  ): void => {
    const record = recordOf(address, declaration, `${target.constructor.name}.${name}`);
    declareRoute(record, name, [
      // Only where it is needed: an interceptor costs every request that passes it.
      ...(record.idempotent ? [UseInterceptors(IdempotencyInterceptor, ShieldInterceptor)] : []),
      ...(isShieldedRead(record) ? [UseGuards(ShieldReadGuard)] : []),
      ...describe(record),
      ...problemResponses(record.problems).map((response) => ApiResponse(response)),
    ])(target, name, descriptor as PropertyDescriptor);
  };
}

/**
 * What the declaration of a route is to Nest and to its OpenAPI document on every server: address, status, body limit and reply.
 * @param besides what this server adds: its guards, its `x-` members, its problems
 */
export function declareRoute(record: DeclaredRoute, operationId: string, besides: MethodDecorator[]): MethodDecorator {
  const { address, verb, path, reply, summary, description, tag, bodyLimit } = record;
  if (bodyLimit !== undefined) BODY_LIMITS.set(address, bodyLimit);
  return applyDecorators(
    VERBS[verb](path),
    HttpCode(reply.status),
    SetMetadata(ROUTE, record),
    ApiOperation({ summary, description, operationId, tags: [tag] }),
    ApiResponse(
      reply.contentType
        ? {
            status: reply.status,
            description: summary,
            content: { [reply.contentType]: { schema: { type: 'string' } } },
          }
        : { status: reply.status, description: summary, type: reply.type },
    ),
    ...(reply.contentType ? [Header('content-type', reply.contentType)] : []),
    ...besides,
  );
}

function recordOf<R>(address: Address, declaration: RouteDeclaration<R>, handler: string): RouteRecord {
  const [verb, path] = address.split(' ') as [Verb, string];
  const credentialed = declaration.access.kind !== 'anyone';
  const idempotent = declaration.idempotent ?? (credentialed && verb !== 'GET' && declaration.access.kind !== 'tool');
  const problems = new Set<ProblemClass>([
    ...HOUSE_PROBLEMS,
    ...(credentialed ? CREDENTIAL_PROBLEMS : []),
    ...(declaration.gate && declaration.gate !== 'selfSignup' ? [FeatureDisabled] : []),
    ...(idempotent ? IDEMPOTENCY_PROBLEMS : []),
    ...(idempotent || isShieldedRead({ address, access: declaration.access, idempotent }) ? SHIELD_PROBLEMS : []),
    ...(declaration.problems ?? []),
  ]);
  return {
    ...declaration,
    reply: declaration.reply,
    address,
    verb,
    path,
    handler,
    idempotent,
    problems: [...problems],
  };
}

/** A read with a credential passes the shield too: a switch may name it, or say that reads are included. */
const isShieldedRead = ({
  address,
  access,
  idempotent,
}: Pick<RouteRecord, 'address' | 'access' | 'idempotent'>): boolean =>
  !idempotent && access.kind !== 'anyone' && address.includes(' /v1/') && !isAlwaysOpen(address);

function describe(record: RouteRecord): MethodDecorator[] {
  const { access, gate, paidTier } = record;
  return [
    ...(record.secretReply ? [Header('cache-control', 'no-store')] : []),
    ...(access.kind === 'seats' ? [ApiExtension('x-seat-roles', [...access.roles])] : []),
    ...credentialsOf(access).map((credential) => ApiSecurity(credential)),
    ...(paidTier ? [ApiExtension('x-paid-tier', true)] : []),
    ...(gate ? [ApiExtension('x-flag', GATE_VARIABLES[gate])] : []),
    ...(record.idempotent ? [ApiHeader(IDEMPOTENCY_HEADER)] : []),
    ...(record.problems.includes(ShieldApprovalRequired) && !isAlwaysOpen(record.address)
      ? SHIELD_HEADERS.map((header) => ApiHeader(header))
      : []),
  ];
}

/** Each alternative by which a caller may present itself, as OpenAPI security requirements. */
function credentialsOf(access: Access): Record<string, string[]>[] {
  if (access.kind === 'anyone') return [];
  if (access.kind === 'agent') return [{ selfSignup: [] }];
  if (access.kind === 'tool') {
    const headers = { tenantId: [], apiKey: [] };
    return [headers, ...(access.agents ? [{ selfSignup: [] }] : []), ...(access.bearerKeys ? [{ bearerKey: [] }] : [])];
  }
  if (access.session) return [{ session: [] }];
  const agents = access.discovery || access.roles.includes('member');
  return [{ tenantId: [], apiKey: [] }, { session: [] }, ...(agents ? [{ selfSignup: [] }] : [])];
}

const IDEMPOTENCY_HEADER = {
  name: 'x-idempotency-key',
  required: true,
  description:
    "A key of the caller's choosing for this one effect. A repeat with the same request answers what the first answered, with x-idempotency-replayed: true. Kept 24 hours.",
  schema: { type: 'string' as const, minLength: 8, maxLength: 255 },
};

const SHIELD_HEADERS = [
  {
    name: 'x-shield-approval-token',
    required: false,
    description: 'The token of an approval of exactly this call, as the approver got it. It works once.',
    schema: { type: 'string' as const, minLength: 8 },
  },
  {
    name: 'x-shield-server-id',
    required: false,
    description: 'The server whose tool makes the call, where one does: its status and publisher are asked about.',
    schema: { type: 'string' as const, minLength: 1, maxLength: 120 },
  },
  {
    name: 'x-shield-tool-digest',
    required: false,
    description:
      'The definition of that tool, sha256:<hex>: a revoked one, or one its server is not trusted with, is refused.',
    schema: { type: 'string' as const, pattern: '^sha256:[0-9a-f]{64}$' },
  },
];
