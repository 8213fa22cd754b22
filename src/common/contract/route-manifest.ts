import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { ROUTE, type DeclaredRoute, type RouteRecord } from './contract.js';

/** Every route of the running server, read back from the declarations. Refuses to start on an undeclared or doubled route. */
@Injectable()
export class ManifestOf<R extends DeclaredRoute> implements OnModuleInit {
  readonly routes: R[] = [];

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  onModuleInit(): void {
    const seen = new Set<string>();
    for (const { instance } of this.discovery.getControllers()) {
      const prototype = Object.getPrototypeOf(instance) as Record<string, unknown>;
      for (const name of this.scanner.getAllMethodNames(prototype)) {
        const record = this.readRecord(prototype, name);
        if (!record) continue;
        if (seen.has(record.address)) throw new Error(`${record.address} is declared twice`);
        seen.add(record.address);
        this.routes.push(record);
      }
    }
    this.routes.sort((a, b) => (a.address < b.address ? -1 : 1));
  }

  private readRecord(prototype: Record<string, unknown>, name: string): R | undefined {
    const handler = prototype[name] as (...args: unknown[]) => unknown;
    if (!Reflect.hasMetadata('path', handler)) return undefined;
    const record = this.reflector.get<R | undefined>(ROUTE, handler);
    if (!record) throw new Error(`${prototype.constructor.name}.${name} is a route without a declaration`);
    return record;
  }
}

/** The routes of the tenant API, or of the tool service. */
@Injectable()
export class RouteManifest extends ManifestOf<RouteRecord> {}
