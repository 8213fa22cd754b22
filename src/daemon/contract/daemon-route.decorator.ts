import { ApiExtension, ApiExtraModels, ApiResponse, ApiSecurity, getSchemaPath } from '@nestjs/swagger';
import { DAEMON_FLAGS } from '../../common/config/daemon/flag-table.js';
import type { Address, Verb } from '../../common/contract/contract.js';
import { problemResponses, type ProblemForm } from '../../common/contract/problem-responses.js';
import { declareRoute } from '../../common/contract/route.decorator.js';
import type { ProblemClass } from '../../common/problem/problem.js';
import { PROBLEM_JSON, slugOf } from '../problems/daemon-problem-form.js';
import { DaemonProblem } from '../problems/daemon-problem-body.js';
import { DAEMON_CREDENTIAL_PROBLEMS, DAEMON_HOUSE_PROBLEMS, FlagOff, PlaneOff } from '../problems/daemon-problems.js';
import { classify } from '../route-auth/route-class.js';
import { DAEMON_ROUTES, type DaemonRouteDeclaration, type DaemonRouteRecord } from './daemon-contract.js';
import type { ScopeRule } from './scopes.js';

/** Declares a route of the daemon: its address, the scopes it asks for, its flag, what it answers and how it can fail. */
export function DaemonRoute<R>(address: Address, declaration: DaemonRouteDeclaration<R>) {
  return <H extends (...args: never[]) => Promise<R>>(
    target: object,
    name: string,
    descriptor: TypedPropertyDescriptor<H>,
  ): void => {
    const record = recordOf(address, declaration, `${target.constructor.name}.${name}`);
    DAEMON_ROUTES.set(address, record);
    declareRoute(record, name, describe(record))(target, name, descriptor as PropertyDescriptor);
  };
}

function recordOf<R>(address: Address, declaration: DaemonRouteDeclaration<R>, handler: string): DaemonRouteRecord {
  const [verb, path] = address.split(' ') as [Verb, string];
  const { scopes, flag, reply } = declaration;
  const problems = new Set<ProblemClass>([
    ...DAEMON_HOUSE_PROBLEMS,
    ...(scopes.kind === 'public' ? [] : DAEMON_CREDENTIAL_PROBLEMS),
    ...(flag && DAEMON_FLAGS[flag].off === 404 ? [FlagOff] : []),
    ...(flag && DAEMON_FLAGS[flag].off === 501 ? [PlaneOff] : []),
    ...(declaration.problems ?? []),
  ]);
  return {
    ...declaration,
    reply,
    address,
    verb,
    path,
    handler,
    problems: [...problems],
    classified: classify(verb, path),
  };
}

const DAEMON_FORM: ProblemForm = {
  contentType: PROBLEM_JSON,
  body: DaemonProblem,
  typeOf: (kind) => `{SVCD_ERRORS_BASE}/${slugOf(kind)}`,
};

function describe(record: DaemonRouteRecord): MethodDecorator[] {
  const { scopes, tenantBound, flag, classified, unlisted } = record;
  return [
    ...alternatives(record),
    ...problemResponses(record.problems, DAEMON_FORM).map((response) => ApiResponse(response)),
    ...scopeExtension(scopes),
    ...(tenantBound ? [ApiExtension('x-tenant-bound', true)] : []),
    ...(classified ? [ApiExtension('x-route-class', classified.class)] : []),
    ...(flag ? [ApiExtension('x-flag', DAEMON_FLAGS[flag].env)] : []),
    ...(scopes.kind === 'public' ? [] : [ApiSecurity({ bearer: [] }), ApiSecurity({ devScopes: [] })]),
    ...(unlisted ? [ApiExtension('x-unlisted', true)] : []),
  ];
}

/** The same answer as bytes of other content types, beside the JSON that the reply's class describes. */
function alternatives({ reply, alsoAs = [], summary }: DaemonRouteRecord): MethodDecorator[] {
  if (alsoAs.length === 0 || !reply.type) return [];
  const bytes = alsoAs.map((type) => [type, { schema: { type: 'string' as const, format: 'binary' } }] as const);
  const content = { 'application/json': { schema: { $ref: getSchemaPath(reply.type) } }, ...Object.fromEntries(bytes) };
  return [ApiExtraModels(reply.type), ApiResponse({ status: reply.status, description: summary, content })];
}

function scopeExtension(rule: ScopeRule): MethodDecorator[] {
  if (rule.kind === 'any') return [ApiExtension('x-scopes', { any_of: [...rule.scopes] })];
  if (rule.kind === 'all') return [ApiExtension('x-scopes', { all_of: [...rule.scopes] })];
  return [];
}
