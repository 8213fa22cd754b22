import {
  applyDecorators,
  Delete,
  Get,
  Header,
  HttpCode,
  Patch,
  Post,
  Put,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { isAlwaysOpen } from '../call-policy/shield-call.js';
import { ShieldInterceptor } from '../call-policy/shield.interceptor.js';
import { ShieldReadGuard } from '../call-policy/shield-read.guard.js';
import { secretsOf } from '../fields/byte-fields.js';
import { uint64sOf } from '../fields/fields.js';
import { GroupedEffectsInterceptor } from '../grouped-effects/grouped-effects.interceptor.js';
import { IdempotencyInterceptor } from '../idempotency/idempotency.interceptor.js';
import type { Access, Address, RouteDeclaration, RouteRecord, Verb } from './contract.js';
import { readInputs } from './route-inputs.js';

/** Largest body of a route that anyone may call, in bytes, unless what the route is for takes more. */
const ANONYMOUS_BODY_BYTES = 16 * 1024;

const VERBS = { GET: Get, POST: Post, PUT: Put, PATCH: Patch, DELETE: Delete } satisfies Record<Verb, unknown>;

/**
 * Declares a route: its address, who may call it, what it answers and how it can fail. The record stands in Fastify's
 * route config, where hooks, guards and parsers read it; the OpenAPI document, the route manifest and the generated
 * tests are made of it.
 */
export function Route<R>(address: Address, declaration: RouteDeclaration<R>) {
  return <H extends (...args: never[]) => Promise<R>>(
    target: object,
    name: string,
    descriptor: TypedPropertyDescriptor<H>,
  ): void => {
    const record = makeRecord(address, declaration, target, name);
    const { contentType, status } = record.reply;
    applyDecorators(
      VERBS[record.verb](record.path),
      HttpCode(status),
      RouteConfig({ route: record, body: record.body }),
      ...(contentType ? [Header('content-type', contentType)] : []),
      ...(record.secretReply ? [Header('cache-control', 'no-store')] : []),
      // Only where it is needed: an interceptor costs every request that passes it.
      ...(record.idempotent ? [UseInterceptors(...effectInterceptorsOf(record))] : []),
      ...(isShieldedRead(record) ? [UseGuards(ShieldReadGuard)] : []),
    )(target, name, descriptor as PropertyDescriptor);
  };
}

function makeRecord<R>(
  address: Address,
  declaration: RouteDeclaration<R>,
  target: object,
  operationId: string,
): RouteRecord {
  const [verb, path] = address.split(' ') as [Verb, string];
  const { access, reply, body = 'json', bodyLimit, idempotent, problems = [] } = declaration;
  const inputs = readInputs(target, operationId);
  return {
    ...declaration,
    reply,
    address,
    verb,
    path,
    handler: `${target.constructor.name}.${operationId}`,
    operationId,
    inputs,
    uint64s: inputs.body ? uint64sOf(inputs.body) : [],
    secrets: inputs.body ? secretsOf(inputs.body) : [],
    idempotent: idempotent ?? (verb !== 'GET' && isOfTenant(access)),
    problems,
    body,
    bodyLimit: bodyLimit ?? (access.kind === 'anyone' && verb !== 'GET' ? ANONYMOUS_BODY_BYTES : undefined),
  };
}

const effectInterceptorsOf = ({ grouped }: RouteRecord) => [
  ...(grouped ? [GroupedEffectsInterceptor] : []),
  IdempotencyInterceptor,
  ShieldInterceptor,
];

const isOfTenant = ({ kind }: Access): boolean => kind === 'seats' || kind === 'agent';

/** Whether the shield is asked before a read: a switch may name it, or say that reads are included. */
export const isShieldedRead = ({ address, access, idempotent }: RouteRecord): boolean =>
  !idempotent && (isOfTenant(access) || access.kind === 'tool') && address.includes(' /v1/') && !isAlwaysOpen(address);
