import type { DynamicModule, ForwardReference, Type } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/constants.js';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import type { RouteRecord } from '../common/contract/contract.js';
import type { DeclaredModule, DeclaredSystem } from '../common/contract/declared-systems.js';
import { TOOLS_OPERATIONS } from '../common/health/tools-operations.js';
import { OperationsModule } from '../common/health/operations.module.js';
import { RpcModule } from '../rpc/rpc.module.js';
import { RpcServer } from '../rpc/rpc.server.js';
import { makeServiceTools } from '../rpc/tools/service-tools.js';
import type { ToolRegistry } from '../rpc/tools/tool-registry.js';
import { API_MODULES } from './api-modules.js';
import { makeDaemonTools } from '../rpc/tools/daemon-tools.js';

type Imported = Type | DynamicModule | ForwardReference;

/** The apps as they declare themselves, without running any of them. */
export const declaredSystems = (daemon: readonly Imported[]): DeclaredSystem[] => [
  { name: 'svc-api', modules: modulesOf(API_MODULES), tools: [] },
  {
    name: 'svc-tools',
    modules: modulesOf([OperationsModule.of(TOOLS_OPERATIONS), RpcModule.of(new RpcServer())]),
    tools: toolsOf(makeServiceTools()),
  },
  { name: 'svc-daemon', modules: modulesOf(daemon), tools: toolsOf(makeDaemonTools()) },
];

const toolsOf = ({ tools }: ToolRegistry): DeclaredSystem['tools'] =>
  tools.map(({ definition, addresses, isRead }) => ({
    name: definition.name,
    routes: addresses.map((one) => one.address),
    isRead,
  }));

/** These modules and all that they import, each once. */
function modulesOf(roots: readonly Imported[]): DeclaredModule[] {
  const found = new Map<string, DeclaredModule>();
  const waiting = [...roots];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const one = described(next);
    if (found.has(one.name)) continue;
    const routes = one.controllers.flatMap((controller) => routesOf(controller));
    found.set(one.name, { name: one.name, routes, imports: one.imports.map((other) => described(other).name) });
    waiting.push(...one.imports);
  }
  return [...found.values()];
}

interface Described {
  name: string;
  controllers: Type[];
  imports: Imported[];
}

function described(given: Imported): Described {
  const one = 'forwardRef' in given ? (given as ForwardReference<() => Type>).forwardRef() : given;
  const type = 'module' in one ? one.module : one;
  const own = 'module' in one ? one : undefined;
  const listed = <T>(key: string): T[] => (Reflect.getMetadata(key, type) as T[] | undefined) ?? [];
  return {
    name: type.name,
    controllers: [...listed<Type>(MODULE_METADATA.CONTROLLERS), ...(own?.controllers ?? [])],
    imports: [...listed<Imported>(MODULE_METADATA.IMPORTS), ...((own?.imports ?? []) as Imported[])],
  };
}

function routesOf({ prototype }: Type): RouteRecord[] {
  const methods = Object.values(Object.getOwnPropertyDescriptors(prototype as object)).map(
    ({ value }) => value as unknown,
  );
  return methods.flatMap((method) => {
    if (typeof method !== 'function') return [];
    const config = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, method) as { route?: RouteRecord } | undefined;
    return config?.route ? [config.route] : [];
  });
}
