import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants.js';
import type { RouteRecord } from './contract.js';
import { SERVER_CONTRACT, type ServerContract } from './server-contract.js';

/**
 * Every route of the running server, read back from the declarations, with all problems that it may answer. Refuses to
 * start on a route that is undeclared or doubled, or whose access its guards do not know.
 */
@Injectable()
export class RouteManifest implements OnModuleInit {
  readonly routes: RouteRecord[] = [];

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    @Inject(SERVER_CONTRACT) private readonly contract: ServerContract,
  ) {}

  onModuleInit(): void {
    const seen = new Set<string>();
    for (const { instance } of this.discovery.getControllers()) {
      const prototype = Object.getPrototypeOf(instance) as Record<string, unknown>;
      for (const name of this.scanner.getAllMethodNames(prototype)) {
        const record = readRecord(prototype, name);
        if (!record) continue;
        if (seen.has(record.address)) throw new Error(`${record.address} is declared twice`);
        if (!this.contract.accessKinds.includes(record.access.kind))
          throw new Error(`${record.address} asks for access by ${record.access.kind}, which no guard here decides on`);
        seen.add(record.address);
        this.routes.push({ ...record, problems: this.problemsOf(record) });
      }
    }
    this.routes.sort((a, b) => (a.address < b.address ? -1 : 1));
  }

  /** All problems that a route may answer: those that it declares, and those of its server. */
  problemsOf(route: RouteRecord): RouteRecord['problems'] {
    return [...new Set([...this.contract.problemsOf(route), ...route.problems])];
  }
}

function readRecord(prototype: Record<string, unknown>, name: string): RouteRecord | undefined {
  const handler = prototype[name] as (...args: unknown[]) => unknown;
  if (!Reflect.hasMetadata('path', handler)) return undefined;
  const config = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, handler) as { route?: RouteRecord } | undefined;
  if (!config?.route) throw new Error(`${prototype.constructor.name}.${name} is a route without a declaration`);
  return config.route;
}
